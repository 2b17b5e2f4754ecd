// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/english"
	"go.yaml.in/yaml/v3"
)

// notes are comments by the path that they belong to.
type notes map[string][]string

func (n notes) add(path, format string, args ...any) {
	n[path] = append(n[path], fmt.Sprintf(format, args...))
}

// Empty reports whether nothing was found.
func (d *Draft) Empty() bool { return len(d.kinds) == 0 }

// Unused returns the input that could not be used, in order.
func (d *Draft) Unused() []string { return d.unused }

// YAML returns the draft as a file of catalogs, with a comment for each guess.
func (d *Draft) YAML() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("# A draft. Read it before you use it: what a comment calls guessed was not in the source.\n")
	if len(d.unused) > 0 {
		out.WriteString("#\n# Not used:\n")
		for _, one := range d.unused {
			out.WriteString("# - " + oneLine(one) + "\n")
		}
	}
	for i := range d.kinds {
		doc, notes := d.document(i)
		data, err := doc.YAML()
		if err != nil {
			return nil, err
		}
		var root yaml.Node
		if err := yaml.Unmarshal(data, &root); err != nil {
			return nil, err
		}
		annotate(root.Content[0], "", notes)
		out.WriteString("---\n")
		e := yaml.NewEncoder(&out)
		e.SetIndent(2)
		if err := e.Encode(&root); err != nil {
			return nil, err
		}
		if err := e.Close(); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// annotate puts comments to their places: behind a value, or above a mapping.
func annotate(n *yaml.Node, path string, notes notes) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			at := strings.TrimPrefix(path+"."+n.Content[i].Value, ".")
			if texts := notes[at]; len(texts) > 0 {
				if n.Content[i+1].Kind == yaml.ScalarNode {
					n.Content[i+1].LineComment = "# " + oneLine(strings.Join(texts, "; "))
				} else {
					n.Content[i].HeadComment = "# " + oneLine(strings.Join(texts, "; "))
				}
			}
			annotate(n.Content[i+1], at, notes)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			annotate(item, fmt.Sprintf("%s[%d]", path, i), notes)
		}
	}
}

// document builds the catalog of a kind and returns the guesses.
func (d *Draft) document(i int) (*catalog.Document, notes) {
	k, n := d.kinds[i], notes{}
	doc := &catalog.Document{APIVersion: catalog.APIVersion, Kind: catalog.DocumentKind,
		Metadata: catalog.Metadata{Name: english.Plural(strings.ToLower(cmp.Or(k.name, "kind"))) + "." + k.group},
		Spec: catalog.Spec{For: catalog.For{Group: k.group, Kind: k.name, Versions: k.versions}, Path: k.path,
			ObservedGeneration: k.generation}}
	doc.Spec.Dialect = d.dialectOf(k)
	if k.dialect == "" {
		n.add("spec.dialect", "guessed%s", k.why)
	}
	for _, text := range k.notes {
		n.add("spec.for.kind", "%s", text)
	}
	for _, c := range k.types {
		at := fmt.Sprintf("spec.conditions[%d]", len(doc.Spec.Conditions))
		doc.Spec.Conditions = append(doc.Spec.Conditions, d.conditionOf(k, c, doc.Spec.Dialect, at, n))
	}
	doc.Spec.Facts = k.facts(doc.Spec.Conditions, n)
	return doc, n
}

// dialectOf guesses the dialect of a kind.
func (d *Draft) dialectOf(k *kind) string {
	if k.dialect != "" {
		return k.dialect
	}
	has := func(n string) bool {
		return slices.ContainsFunc(k.types, func(c *condition) bool { return c.name == n })
	}
	severity := slices.ContainsFunc(d.kinds, func(k *kind) bool {
		return slices.ContainsFunc(k.types, func(c *condition) bool {
			return slices.ContainsFunc(c.cells, func(o *cell) bool { return o.severity != "" })
		})
	})
	switch {
	case severity:
		k.why = ": conditions have a severity"
		return "capi-v1beta1"
	case has("Reconciling") && has("Stalled"):
		k.why = ": Reconciling and Stalled"
		return "kstatus"
	}
	return "core"
}

func (d *Draft) conditionOf(k *kind, c *condition, dialect, at string, n notes) (out catalog.Condition) {
	out = catalog.Condition{Type: c.name, Meaning: c.meaning}
	for _, text := range c.notes {
		n.add(at+".type", "%s", text)
	}
	if out.Meaning == "" {
		out.Meaning = "Not explained by the source: " + c.name + "."
		n.add(at+".meaning", "guessed: the source has none")
	}
	if dialect == "capi-v1beta1" || dialect == "knative" { // True is good there for every type
		out.Polarity = "positive"
		defer func() { out.Polarity = "" }()
	} else {
		out.Polarity = polarityOf(c.name, dialect)
		n.add(at+".polarity", "guessed from the name")
	}
	if out.Role = roleOf(k, c); out.Role != "" {
		n.add(at+".role", "guessed from the name")
	}
	out.Open = c.open
	for _, one := range c.cells {
		out.Reasons = append(out.Reasons, reasonOf(c, one, &out, fmt.Sprintf("%s.reasons[%d]", at, len(out.Reasons)), n))
	}
	return out
}

func reasonOf(c *condition, one *cell, of *catalog.Condition, at string, n notes) catalog.Reason {
	r := catalog.Reason{Reason: one.reason, Status: one.status, Severity: one.severity, Meaning: one.meaning}
	for _, text := range one.notes {
		n.add(at+".reason", "%s", text)
	}
	if r.Status == "" {
		r.Status = statusOf(c.name, of.Polarity, one.reason)
		n.add(at+".status", "guessed from the name: the source does not separate reasons by status")
	}
	if r.Class = classOf(of.Polarity, r.Status, one.reason); r.Class != "" && r.Class != "ok" {
		n.add(at+".class", "guessed from the name")
	}
	if of.Polarity == "positive" && r.Status == "True" || of.Polarity == "negative" && r.Status == "False" {
		r.Severity = ""
	}
	if r.Meaning == "" {
		r.Meaning = "Not explained by the source: " + one.reason + "."
		n.add(at+".meaning", "guessed: the source has none")
	}
	return r
}
