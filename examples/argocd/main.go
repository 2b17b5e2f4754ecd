// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := run(os.Stdin, os.Stdout, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "argocd-health:", err)
		os.Exit(1)
	}
}

// run reads an object, in JSON or YAML, and writes its health.
func run(in io.Reader, out io.Writer, now time.Time) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var object map[string]any
	if err := yaml.Unmarshal(data, &object); err != nil {
		return fmt.Errorf("read the object: %w", err)
	}
	return json.NewEncoder(out).Encode(Health(object, now))
}

// HealthStatus is what Argo CD shows of an object (health.HealthStatus of gitops-engine).
type HealthStatus struct {
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
}

// engine is shared: it may be used by many goroutines.
var engine = new(verdict.Engine)

// words are those of Argo CD. An object that is being deleted is Progressing there. One that serves, but impaired, is Degraded, and so is one
// that failed: Argo CD has no word between them.
var words = map[verdict.Status]string{
	verdict.Current:     "Healthy",
	verdict.InProgress:  "Progressing",
	verdict.Degraded:    "Degraded",
	verdict.Failed:      "Degraded",
	verdict.Suspended:   "Suspended",
	verdict.Terminating: "Progressing",
	verdict.NotFound:    "Missing",
}

// Health returns the health of a decoded object. It is Unknown where the engine cannot tell.
func Health(object map[string]any, now time.Time) HealthStatus {
	v := engine.Judge(object, now)
	health := HealthStatus{Status: cmp.Or(words[v.Status], "Unknown")}
	if v.Status != verdict.Current {
		health.Message = cmp.Or(v.Message(), v.Reason)
	}
	return health
}
