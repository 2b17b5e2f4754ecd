// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/input"
	"github.com/tristate/tristate/proof/golden"
	"github.com/tristate/tristate/systems"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestSamples judges the sample objects of each system and compares the output of status with a golden.
func TestSamples(t *testing.T) {
	for _, system := range []string{"kars", "vworkspace", "kro", "kpt", "cluster-api"} {
		t.Run(system, func(t *testing.T) {
			folder := filepath.Join("..", "..", "systems", system, "samples")
			var printed bytes.Buffer
			a := cli.New()
			a.In, a.Out, a.Err, a.Terminal = strings.NewReader(""), &printed, &printed, false
			a.Env = func(string) string { return "" }
			a.Now = func() time.Time { return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC) }
			if code := a.Run(context.Background(), []string{"status", "-f", folder}); code != exit.OK {
				t.Errorf("exit code %d", code)
			}
			golden.File(t, filepath.Join("testdata", "samples", system+".txt"), printed.String())
			declaredSamples(t, system, folder)
		})
	}
}

// declaredSamples holds the conditions of the kinds of a system to its catalog: each cell is declared.
func declaredSamples(t *testing.T, system, folder string) {
	t.Helper()
	set, err := catalog.LoadFS(systems.Catalogs, system+"/catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]*catalog.Kind{}
	for _, k := range set.Kinds() {
		kinds[k.For.String()] = k
	}
	objects, errs := input.Read([]string{folder}, nil)
	for _, err := range errs {
		t.Error(err)
	}
	judged := 0
	for _, o := range objects {
		u := unstructured.Unstructured{Object: o.Content}
		k := kinds[u.GroupVersionKind().GroupKind().String()]
		if k == nil {
			continue
		}
		judged++
		list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		for _, entry := range list {
			c, _ := entry.(map[string]any)
			name, _ := c["type"].(string)
			status, _ := c["status"].(string)
			reason, _ := c["reason"].(string)
			if !declaresCell(k, name, status, reason) {
				t.Errorf("%s/%s: the catalog does not declare %s=%s %s", u.GetKind(), u.GetName(), name, status, reason)
			}
		}
	}
	if judged == 0 {
		t.Errorf("no object of %s is of a kind of its catalog", folder)
	}
}

// declaresCell reports whether a catalog has a cell. Without a reason in the object the status suffices.
func declaresCell(k *catalog.Kind, name, status, reason string) bool {
	declared := k.Type(name)
	if declared == nil {
		return false
	}
	for _, r := range declared.Reasons {
		if string(r.Status) == status && (reason == "" || r.Name == "" || r.Name == reason) {
			return true
		}
	}
	return declared.Imported || len(declared.Reasons) == 0
}
