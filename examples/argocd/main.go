// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "argocd-health:", err)
		os.Exit(1)
	}
}

// run reads an object, in JSON or YAML, and writes its health.
func run(files []string, in io.Reader, out io.Writer, now time.Time) error {
	engine, err := NewEngine(files...)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var object map[string]any
	if err := yaml.Unmarshal(data, &object); err != nil {
		return fmt.Errorf("read the object: %w", err)
	}
	return json.NewEncoder(out).Encode(Health(engine, object, now))
}

// NewEngine returns an engine with the catalogs of files and those that come with Tristate. It is safe for concurrent use.
func NewEngine(files ...string) (*verdict.Engine, error) {
	contents := map[string][]byte{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read a catalog: %w", err)
		}
		contents[name] = data
	}
	own, err := catalog.Load(contents)
	if err != nil {
		return nil, err
	}
	shipped, err := catalog.Shipped()
	if err != nil {
		return nil, err
	}
	return catalog.Engine(own, shipped), nil // the first set that has a kind judges it
}

// HealthStatus is the health of an object in Argo CD (health.HealthStatus of gitops-engine).
type HealthStatus struct {
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
}

// words are those of Argo CD, by verdict. An object that is being deleted is Progressing there. Degraded is one that serves, but impaired, and one
// that has failed: Argo CD has no word between them.
var words = map[verdict.Status]string{
	verdict.Current:     "Healthy",
	verdict.InProgress:  "Progressing",
	verdict.Degraded:    "Degraded",
	verdict.Failed:      "Degraded",
	verdict.Suspended:   "Suspended",
	verdict.Terminating: "Progressing",
	verdict.NotFound:    "Missing",
}

// Health returns the health of a decoded object. It is Unknown where the verdict is.
func Health(engine *verdict.Engine, object map[string]any, now time.Time) HealthStatus {
	v := engine.Judge(object, now)
	health := HealthStatus{Status: cmp.Or(words[v.Status], "Unknown")}
	if v.Status != verdict.Current {
		health.Message = cmp.Or(v.Message, v.Reason)
	}
	return health
}
