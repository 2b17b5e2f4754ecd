// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A seen object is one of the cases and vocabularies, with the time at which it is judged.
type seen struct {
	object map[string]any
	at     time.Time
}

// seenObjects returns the objects of the cases of packs and conventions, and those that vocabularies make of their words, by API group.
func seenObjects(t *testing.T) map[string][]seen {
	t.Helper()
	_, packs := shipped(t)
	out := map[string][]seen{}
	add := func(c *pack.Case) {
		apiVersion, _ := c.Object["apiVersion"].(string)
		group := schema.FromAPIVersionAndKind(apiVersion, "").Group
		out[group] = append(out[group], seen{c.Object, c.Now})
	}
	for _, cases := range shippedCases(t) {
		for i := range cases {
			add(&cases[i])
		}
	}
	for _, cases := range conventionCases(t) {
		for i := range cases {
			add(&cases[i])
		}
	}
	engine := pack.Engine(packs)
	list := vocabularies(t)
	for i := range list {
		outcomes := list[i].Judge(engine)
		for n := range outcomes {
			add(&outcomes[n].Case)
		}
	}
	return out
}

// judgesOnly reports whether a document has nothing but rules and tables: no remedies, edges, children or times of its own.
func judgesOnly(s *catalog.Spec) bool {
	return len(s.Verdicts)+len(s.States) > 0 && len(s.Remedies)+len(s.Relations)+len(s.Tree)+len(s.Conditions) == 0 &&
		s.Children == nil && s.Deadline == "" && s.ObservedGeneration == ""
}

// differs reports whether a verdict says more than the one without the document: another word, another readiness or another time, the
// message of something broken, or an answer where conventions know nothing. Reasons and the messages of what is not broken may differ.
func differs(with, without *verdict.Verdict) bool {
	return with.Status != without.Status || with.Ready != without.Ready || with.Budget != without.Budget ||
		!with.NextLook.Equal(without.NextLook) || with.Status.Broken() && with.Message != without.Message ||
		without.Rule == "no-status/nothing-known" && with.Rule != without.Rule
}

// TestShipped_decides: without a document some object of a case or a vocabulary is judged otherwise. What a rule decides of an object that
// none of them has is shown by a case. A document for a kind of a group that has one for all its kinds is kept: it shields the kind from
// that one, also in exports, which know no conventions.
func TestShipped_decides(t *testing.T) {
	own, packs := shipped(t)
	all := pack.Engine(own, packs)
	objects := seenObjects(t)
	kinds := map[string][]*catalog.Kind{} // by document
	group := map[string]bool{}            // groups with a document for all their kinds
	for _, k := range packs.Kinds() {
		kinds[k.Source.Metadata.Name] = append(kinds[k.Source.Metadata.Name], k)
		group[k.For.Group] = group[k.For.Group] || k.For.Kind == catalog.AnyKind
	}
	documents := 0
	for name, of := range kinds {
		if !judgesOnly(&of[0].Source.Spec) || group[of[0].For.Group] && of[0].For.Kind != catalog.AnyKind {
			continue
		}
		documents++
		rest, err := catalog.NewSet(slices.DeleteFunc(slices.Clone(packs.Kinds()), func(k *catalog.Kind) bool {
			return k.Source.Metadata.Name == name
		})...)
		if err != nil {
			t.Fatal(err)
		}
		without := pack.Engine(own, rest)
		if !slices.ContainsFunc(of, func(k *catalog.Kind) bool {
			return slices.ContainsFunc(objects[k.For.Group], func(o seen) bool {
				a, b := all.Judge(o.object, o.at), without.Judge(o.object, o.at)
				return differs(&a, &b)
			})
		}) {
			t.Errorf("%s: every case and every word is judged the same without it: drop it, or add the case that shows what it decides", name)
		}
	}
	t.Logf("%d documents", documents)
}
