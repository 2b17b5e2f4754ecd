// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime"
)

// Vocabulary lists the words that objects of one kind, or of several that are alike, can report, according to the sources of their
// controller: the condition types with their statuses and reasons, and the words of fields. Each word has the class that it has in an
// otherwise healthy status.
type Vocabulary struct {
	// Source is where the words were read: a repository or a Go module; or "none, because" and the reason, if they are known from the
	// documentation of the controller and from its objects only.
	Source string `json:"source"`
	// Version is that of the source: a release, or a snapshot of a year.
	Version string `json:"version,omitempty"`
	Group   string `json:"group"`
	// Kinds are the kinds that have the words. Words are tried on the first one.
	Kinds []string `json:"kinds"`
	// Healthy is the rest of a healthy object: spec, status and annotations.
	Healthy map[string]any `json:"healthy,omitempty"`
	// Types are the condition types; a word of theirs is STATUS or STATUS/REASON.
	Types map[string]Words `json:"types,omitempty"`
	// Fields are fields of one word each, by their path.
	Fields map[string]Words `json:"fields,omitempty"`
	// Computed lists those words that the code composes or forwards: they are not constants of the source.
	Computed []string `json:"computed,omitempty"`
	// Ignored lists types, reasons and words that do not describe health, or never occur in an object.
	Ignored []string `json:"ignored,omitempty"`
	// Settles lists types and fields whose healthy words outweigh the others, which then describe an earlier state.
	Settles []string `json:"settles,omitempty"`
}

// Sourced reports whether the words were read from a source.
func (v *Vocabulary) Sourced() bool { return !strings.HasPrefix(v.Source, unsourced) }

const unsourced = "none, because "

// Words groups words by their class in an otherwise healthy status.
type Words struct {
	OK        []string `json:"ok,omitempty"`        // the object is Current
	Progress  []string `json:"progress,omitempty"`  // InProgress
	Broken    []string `json:"broken,omitempty"`    // Failed or Degraded
	Suspended []string `json:"suspended,omitempty"` // Suspended
	Unknown   []string `json:"unknown,omitempty"`   // Unknown
	Missing   []string `json:"missing,omitempty"`   // NotFound
}

// classes lists the classes in a fixed order, each with its verdicts.
func (w *Words) classes() []class {
	return []class{
		{w.OK, []verdict.Status{verdict.Current}}, {w.Progress, []verdict.Status{verdict.InProgress}},
		{w.Broken, []verdict.Status{verdict.Failed, verdict.Degraded}}, {w.Suspended, []verdict.Status{verdict.Suspended}},
		{w.Unknown, []verdict.Status{verdict.Unknown}}, {w.Missing, []verdict.Status{verdict.NotFound}},
	}
}

type class struct {
	words []string
	want  []verdict.Status
}

// all lists the words of all classes.
func (w *Words) all() []string {
	var out []string
	for _, c := range w.classes() {
		out = append(out, c.words...)
	}
	return out
}

// ReadVocabularies reads a file of vocabularies: a YAML or JSON list. Reading is strict.
func ReadVocabularies(file string, data []byte) ([]Vocabulary, error) {
	var list []Vocabulary
	if err := decode(file, data, &list); err != nil {
		return nil, err
	}
	for i := range list {
		v := &list[i]
		if len(v.Kinds) == 0 {
			return nil, fmt.Errorf("%s: [%d].kinds: is empty", file, i)
		}
		if v.Source == "" || v.Source == unsourced || v.Sourced() != (v.Version != "") {
			return nil, fmt.Errorf("%s: [%d] %s: source: must be a repository with a version, or %q and the reason", file, i, v.Kinds[0], unsourced)
		}
		for _, e := range v.list() {
			if list := e.words.all(); len(list) == 0 || len(slices.Compact(slices.Sorted(slices.Values(list)))) < len(list) {
				return nil, fmt.Errorf("%s: [%d] %s: %s has no words, or one of them twice", file, i, v.Kinds[0], e.what())
			}
		}
	}
	return list, nil
}

// Listed lists the condition types, the reasons and the words of a vocabulary, those that are ignored left out, each once and in
// alphabetical order: the words that its source must have. Words in Computed are not among them.
func (v *Vocabulary) Listed() []string {
	var out []string
	for name, words := range v.Types {
		out = append(out, name)
		for _, word := range words.all() {
			if _, reason, found := strings.Cut(word, "/"); found {
				out = append(out, reason)
			}
		}
	}
	for _, words := range v.Fields {
		out = append(out, words.all()...)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(word string) bool { return slices.Contains(v.Computed, word) })
}

// Size returns the number of words of a vocabulary.
func (v *Vocabulary) Size() int {
	n := len(v.Ignored)
	for _, e := range v.list() {
		n += len(e.words.all())
	}
	return n
}

// Judge tests an engine with the vocabulary: each word decides the verdict of an otherwise healthy object, and a healthy word of another
// type or field does not hide an unhealthy one, unless Settles lists it. The outcomes are in a fixed order; those of words that are broken
// name Failed as their verdict and accept Degraded as well.
func (v *Vocabulary) Judge(e *verdict.Engine) []Outcome {
	var out []Outcome
	try := func(what string, object map[string]any, want []verdict.Status) {
		one := Case{Name: v.Kinds[0] + ": " + what, Object: object, Verdict: want[0], Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		if got := e.Judge(object, one.Now); slices.Contains(want, got.Status) {
			one.Verdict = got.Status
		}
		out = append(out, one.Run(e))
	}
	if v.Healthy != nil {
		try("healthy", v.object(), []verdict.Status{verdict.Current})
	}
	entries := v.list()
	for _, entry := range entries {
		for _, class := range entry.words.classes() {
			for _, word := range class.words {
				object := v.object()
				entry.set(object, word)
				try(entry.what()+" is "+word, object, class.want)
			}
		}
	}
	for _, bad := range entries {
		for _, good := range entries {
			if good.name == bad.name || slices.Contains(v.Settles, good.name) {
				continue
			}
			for _, broken := range bad.words.Broken {
				for _, well := range good.words.OK {
					object := v.object()
					bad.set(object, broken)
					good.set(object, well)
					try(bad.what()+" is "+broken+" and "+good.what()+" is "+well, object, []verdict.Status{verdict.Failed, verdict.Degraded})
				}
			}
		}
	}
	return out
}

// entry is a condition type or a field with its words.
type entry struct {
	name      string
	condition bool
	words     Words
}

// list lists the types and the fields, each in alphabetical order.
func (v *Vocabulary) list() []entry {
	var out []entry
	for _, name := range slices.Sorted(maps.Keys(v.Types)) {
		out = append(out, entry{name, true, v.Types[name]})
	}
	for _, path := range slices.Sorted(maps.Keys(v.Fields)) {
		out = append(out, entry{path, false, v.Fields[path]})
	}
	return out
}

// what returns the name of the entry in findings.
func (e entry) what() string {
	if e.condition {
		return "condition " + e.name
	}
	return e.name
}

// set puts a word into an object.
func (e entry) set(object map[string]any, word string) {
	if e.condition {
		status, reason, _ := strings.Cut(word, "/")
		setCondition(object, e.name, status, reason)
		return
	}
	nested.Set(object, word, strings.Split(e.name, ".")...)
}

// object returns a new healthy object.
func (v *Vocabulary) object() map[string]any {
	out := runtime.DeepCopyJSON(v.Healthy)
	if out == nil {
		out = map[string]any{}
	}
	out["apiVersion"], out["kind"] = v.Group+"/v1", v.Kinds[0]
	if version, ok := out["version"].(string); ok { // for packs of one version
		out["apiVersion"] = v.Group + "/" + version
		delete(out, "version")
	}
	return out
}

// setCondition replaces or adds a condition.
func setCondition(object map[string]any, name, status, reason string) {
	c := map[string]any{"type": name, "status": status}
	if reason != "" {
		c["reason"] = reason
	}
	list := slices.DeleteFunc(nested.List(object, "status", "conditions"), func(item any) bool {
		m, _ := item.(map[string]any)
		return m["type"] == name
	})
	nested.Set(object, append(list, c), "status", "conditions")
}
