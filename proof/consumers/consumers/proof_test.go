// SPDX-License-Identifier: Apache-2.0

package consumers

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/argocd"
	"github.com/tristate/tristate/internal/export/consumers"
	"github.com/tristate/tristate/internal/export/flux"
	"github.com/tristate/tristate/systems"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var update = flag.Bool("update", false, "write the record and the page again")

var root = filepath.Join("..", "..", "..")

// sample is how many objects the page has.
const sample = 1000

// entry is a row with the answers of the tools' own code.
type entry struct {
	consumers.Row
	source string // state or case
	digest string
	argo   string // by Argo CD with the check of gen argocd
	flux   string // by Flux with the expressions of gen flux
}

// TestAnswers asks every tool about every state of every shipped catalog and rule pack, and about the objects of the tests of packs. The
// answers that the command has of its own are those of the tools; those of Argo CD about the states are the record.
func TestAnswers(t *testing.T) {
	all := entries(t)
	record := map[string]string{}
	for i := range all {
		e := &all[i]
		o := e.Object
		if got := Kstatus(o); got != string(e.Plain) {
			t.Errorf("%s, %s: kstatus says %s, the command %s", e.Kind, e.State, got, e.Plain)
		}
		met, err := KubectlWait(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if met != e.KubectlWait {
			t.Errorf("%s, %s: kubectl wait ends: %t, the command says %t", e.Kind, e.State, met, e.KubectlWait)
		}
		if e.source == "state" {
			word := e.ArgoCD
			if word == "" {
				word = consumers.None
			}
			if was, twice := record[e.digest]; twice && was != word {
				t.Errorf("%s, %s: two answers about one object", e.Kind, e.State)
			}
			record[e.digest] = word
		}
	}
	var lines strings.Builder
	lines.WriteString("# digest of a state's object, and Argo CD's health; written by the tests of proof/consumers/consumers\n")
	digests := make([]string, 0, len(record))
	for digest := range record {
		digests = append(digests, digest)
	}
	slices.Sort(digests)
	for _, digest := range digests {
		fmt.Fprintf(&lines, "%s\t%s\n", digest, record[digest])
	}
	golden(t, filepath.Join(root, "internal", "export", "consumers", "argocd.tsv"), lines.String())
	text, data := page(all)
	golden(t, filepath.Join(root, "docs", "exports", "disagreement.md"), text)
	golden(t, filepath.Join(root, "docs", "exports", "disagreement.tsv"), data)
}

// golden compares a generated file.
func golden(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the tools say; -update writes it again (%v)", file, err)
	}
}

// entries returns all objects with all answers.
func entries(t *testing.T) []entry {
	own, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	cases := objectsOfCases(t)
	var out []entry
	for _, s := range append(export.All(own), export.All(packs)...) {
		ask := withExports(t, s)
		add := func(source string, r consumers.Row) {
			e := entry{Row: r, source: source, digest: consumers.Digest(r.Object)}
			e.argo, e.flux = ask(t, r.Object)
			out = append(out, e)
		}
		for _, r := range consumers.Rows(s, ArgoCD) {
			add("state", r)
		}
		for _, c := range cases[s.Name()] {
			add("case", consumers.RowOf(s, c.Name, c.Object, export.Now, ArgoCD))
		}
	}
	return out
}

// withExports returns the function that asks Argo CD and Flux with the exports of a kind.
func withExports(t *testing.T, s *export.Subject) func(*testing.T, map[string]any) (string, string) {
	script, _ := argocd.Script(s)
	overrides := lua.ResourceHealthOverrides{strings.TrimPrefix(s.For.Group+"/"+s.For.Kind, "/"): v1alpha1.ResourceOverride{HealthLua: script}}
	check, _, err := flux.CheckOf(s)
	if err != nil {
		t.Fatal(err)
	}
	evaluator, err := cel.NewStatusEvaluator(&kustomize.HealthCheckExpressions{InProgress: check.InProgress, Failed: check.Failed,
		Current: check.Current})
	if err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, object map[string]any) (string, string) {
		health, _ := argoCD(object, overrides)
		result, err := evaluator.Evaluate(t.Context(), &unstructured.Unstructured{Object: object})
		if err != nil {
			return health, "InProgress" // Flux goes on waiting
		}
		return health, result.Status.String()
	}
}

// objectsOfCases returns the objects of the tests of packs by kind, those that are judged at the usual time.
func objectsOfCases(t *testing.T) map[string][]pack.Case {
	files, err := filepath.Glob(filepath.Join(root, "catalogs", "packs", "testdata", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests of packs: %v", err)
	}
	out := map[string][]pack.Case{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases, err := pack.ReadCases(filepath.Base(file), data)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			data, err := json.Marshal(c.Object)
			if err != nil {
				t.Fatal(err)
			}
			var o unstructured.Unstructured
			otherTime := !c.Now.IsZero() && !c.Now.Equal(export.Now)
			if otherTime || o.UnmarshalJSON(data) != nil || o.Object["metadata"] == nil {
				continue
			}
			gvk := o.GroupVersionKind()
			name := strings.TrimSuffix(gvk.Kind+"."+gvk.Group, ".")
			out[name] = append(out[name], pack.Case{Name: c.Name, Object: o.Object})
		}
	}
	return out
}

// TestRecorded: the command knows the answer about a state, and of no object that was changed.
func TestRecorded(t *testing.T) {
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range consumers.Rows(export.All(packs)[0], consumers.Recorded) {
		if r.ArgoCDUnknown {
			t.Errorf("%s, %s is not in the record", r.Kind, r.State)
		}
		r.Object["spec"] = map[string]any{"changed": true}
		if _, known := consumers.Recorded(r.Object); known {
			t.Errorf("%s, %s: the record has an answer about another object", r.Kind, r.State)
		}
	}
}
