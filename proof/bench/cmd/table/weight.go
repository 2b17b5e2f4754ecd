// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
)

// libraries are the packages that an operator imports to write conditions.
var libraries = []struct{ name, path string }{
	{"tristate", "github.com/tristate/tristate/conditions"},
	{"apimachinery, meta/v1 alone", "k8s.io/apimachinery/pkg/apis/meta/v1"},
	{"Cluster API v1beta1", "sigs.k8s.io/cluster-api/util/conditions/deprecated/v1beta1"},
	{"Cluster API v1beta2", "sigs.k8s.io/cluster-api/util/conditions"},
	{"Flux", "github.com/fluxcd/pkg/runtime/conditions"},
	{"operatorpkg", "github.com/awslabs/operatorpkg/status"},
	{"kro", "github.com/kubernetes-sigs/kro/pkg/apis"},
	{"Knative", "knative.dev/pkg/apis"},
}

// weigh prints how many packages each library brings in, itself and the standard library included.
func weigh(w io.Writer) error {
	fmt.Fprintln(w, "packages that come in\tnumber\tversion\ttimes ours")
	ours := 0
	for _, l := range libraries {
		deps, err := exec.Command("go", "list", "-deps", l.path).Output()
		if err != nil {
			return fmt.Errorf("packages of %s: %w", l.path, err)
		}
		version, err := exec.Command("go", "list", "-f", "{{with .Module}}{{.Version}}{{end}}", l.path).Output()
		if err != nil {
			return fmt.Errorf("version of %s: %w", l.path, err)
		}
		n := bytes.Count(deps, []byte("\n"))
		if ours == 0 {
			ours = n
		}
		fmt.Fprintf(w, "  %s\t%d\t%s\t%.2f\n", l.name, n, bytes.TrimSpace(version), float64(n)/float64(ours))
	}
	return nil
}
