// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
)

const types = `// +groupName=example.org
package v1

type LampPhase string

const (
	PhaseLit    LampPhase = "Lit"
	PhaseTwirly LampPhase = "Twirly"
)

// LampStatus is what was seen.
type LampStatus struct {
	Phase LampPhase ` + "`json:\"phase\"`" + `
	// +kubebuilder:validation:Enum=Ready;Broken
	State string ` + "`json:\"state,omitempty\"`" + `
}

type Lamp struct {
	metav1.ObjectMeta ` + "`json:\"metadata\"`" + `
	Status LampStatus ` + "`json:\"status\"`" + `
}

func set(c *Condition) { c.Type, c.Reason = "Powered", "PowerCut" }
`

const lamps = `apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: lamps.example.org}
spec:
  for: {group: example.org, kind: Lamp}
  states:
  - {condition: Powered, words: {False/PowerCut: InProgress, False/Gone: Failed}}
  - {path: status.phase, words: {Lit: Current}}
  - {path: status.colour, words: {Lit: Current}}
`

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"api/v1/lamp_types.go": types,
		"api/v1/lamp_types_test.go": "package v1\n\nvar gone = \"Gone\"\n", "lamps.yaml": lamps} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	u, err := read(options{dir: dir, commit: "0123456"})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "lamps.yaml")
	set, err := catalog.Load(map[string][]byte{file: []byte(lamps)})
	if err != nil {
		t.Fatal(err)
	}
	k := set.Kinds()[0]
	want := []string{
		`never: "Gone" of states[0]`,
		`never: path status.colour of states[2]`,
		`unread: Lamp.example.org status.phase=Twirly is Unknown by state/strange`,
	}
	if diff := cmp.Diff(want, u.lines(k, u.kinds(k, set), pack.Engine(set), nil)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}

	line := "metadata: {name: lamps.example.org}\nspec: {for: {group: example.org, kind: Lamp}, %sverdicts: []}\n"
	short := string(record(fmt.Appendf(nil, line, ""), map[string]string{"lamps.example.org": "a/b@0123456, api"}))
	if diff := cmp.Diff(fmt.Sprintf(line, `source: "a/b@0123456, api", `), short); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	written := string(record([]byte(lamps), map[string]string{"lamps.example.org": "a/b@0123456, api/v1 of 2026-08-20"}))
	if !strings.Contains(written, "kind: Lamp}\n  source: a/b@0123456, api/v1 of 2026-08-20\n") {
		t.Error(written)
	}
	if again := string(record([]byte(written), map[string]string{"lamps.example.org": "c/d@0123456, api"})); again != written {
		t.Error(again)
	}
}
