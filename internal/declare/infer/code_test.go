// SPDX-License-Identifier: Apache-2.0

package infer_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/infer"
	"github.com/tristate/tristate/internal/declare/source"
)

// TestCode: what code writes is in the draft, one reason of a function on several types as a fact; each place that
// does not say what it writes is named with the cause, and the draft compiles.
func TestCode(t *testing.T) {
	known := func(list ...string) (out []source.Value) {
		for _, text := range list {
			out = append(out, source.Value{Text: text, How: source.Constant})
		}
		return out
	}
	open := []source.Value{{How: source.Foreign, Expr: "err.Reason()"}}
	site := func(line int, in, kind string, types, statuses, reasons []source.Value) *source.Site {
		return &source.Site{Position: catalog.Position{File: "queue.go", Line: line, Column: 2}, In: in, Kinds: []string{"context.Context", kind},
			Types: types, Statuses: statuses, Reason: reasons}
	}
	scan := &source.Scan{Sites: []*source.Site{
		site(1, "fail", "v1.Queue", known("Ready"), known("False"), known("SpecInvalid")),
		site(2, "fail", "v1.Queue", known("Stalled"), known("True"), known("SpecInvalid")),
		site(3, "fail", "v1.Queue", known("Ready"), known("False"), known("BrokerAway")),
		site(4, "other", "v1.Queue", known("Stalled"), known("True"), known("BrokerAway")),
		site(5, "done", "*v1.Queue", known("Ready"), known("True"), known("Served", "Reused")),
		site(6, "fail", "v1.Topic", known("Ready"), known("False"), known("Elsewhere")), // of the first kind
		site(7, "fail", "v1.Queue", open, known("False"), known("X")),
		site(8, "fail", "v1.Queue", known("Ready"), known("False"), open),
		site(9, "fail", "v1.Queue", known("Ready", "Stalled"), known("False"), known("A", "B")),
		site(10, "done", "v1.Queue", known("Ready"), known("True", "False"), known("Either")),
	}}
	d := infer.New(infer.Options{Kinds: []string{"Queue.acme.corp", "Exchange.acme.corp"}, Version: "v1"})
	var left []string
	for _, one := range d.Code(scan) {
		left = append(left, one.String())
	}
	want := []string{
		"queue.go:7:2: the type is not known: err.Reason()",
		"queue.go:8:2: the reason is not known: err.Reason()",
		"queue.go:9:2: which of the reasons A, B goes with which of the types Ready, Stalled is not known",
		"queue.go:10:2: the status of Either is not known: True, False",
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	doc := d.Documents()[0]
	var got []string
	for _, f := range doc.Spec.Facts {
		got = append(got, "fact "+f.Reason+" Ready="+f.Sets["Ready"]+" Stalled="+f.Sets["Stalled"])
	}
	for _, c := range doc.Spec.Conditions {
		for _, r := range c.Reasons {
			got = append(got, c.Type+"="+r.Status+" "+r.Reason)
		}
	}
	slices.Sort(got)
	want = []string{"Ready=False BrokerAway", "Ready=False Elsewhere", "Ready=True Either", "Ready=True Reused", "Ready=True Served",
		"Stalled=True BrokerAway",
		"fact SpecInvalid Ready=False Stalled=True"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	text, err := d.YAML()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := catalog.Parse("queue.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if _, err := catalog.Compile(sources[0]); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}
