// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
)

const before = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: things.example.com}
spec:
  for: {group: example.com, kind: Thing}
  conditions:
  - type: Ready
    meaning: Ready holds.
    retired: [Gone]
    reasons:
    - {reason: SpecInvalid, status: "False", class: terminal, meaning: The spec is wrong.}
    - {reason: Old, status: "False", meaning: It is old., deprecated: {renamedTo: SpecInvalid, since: v1, earliestRemoval: v3.0}}
    - {reason: Fine, status: "True", meaning: It is fine.}
  - type: Stalled
    meaning: Nothing moves.
    polarity: negative
    reasons: [{reason: Stuck, status: "True", meaning: Stuck.}, {reason: Moving, status: "False", meaning: Moves.}]
`

// TestCompare: one edit each, and all changes that it makes.
func TestCompare(t *testing.T) {
	tests := map[string]struct {
		edit []string // old, new, old, new
		want []string
	}{
		"nothing":                {nil, nil},
		"white space of meaning": {[]string{"Ready holds.", `"Ready  holds."`}, nil},
		"meaning":                {[]string{"Ready holds.", "It is ready."}, []string{"note meaning-changed"}},
		"polarity":               {[]string{"polarity: negative", "polarity: neutral"}, []string{"breaking polarity-changed"}},
		"type removed": {[]string{"type: Stalled", "type: Other", "meaning: Nothing moves.", "meaning: Something else."},
			[]string{"breaking type-removed", "note tombstone-missing", "note type-added"}},
		"type renamed": {[]string{"type: Stalled", "type: Stopped"}, []string{"breaking renamed-without-alias", "note type-added"}},
		"type renamed with an alias": {[]string{"type: Stalled", "type: Stopped\n    aliases: [Stalled]"},
			[]string{"note type-renamed"}},
		"reason renamed": {[]string{"reason: SpecInvalid", "reason: InvalidSpec", "renamedTo: SpecInvalid", "renamedTo: InvalidSpec"},
			[]string{"breaking renamed-without-alias", "note deprecation-changed", "note reason-added-closed"}},
		"reason with an alias": {[]string{"{reason: Fine,", "{reason: Good, aliases: [Fine],"}, []string{"note reason-renamed"}},
		"reason removed": {[]string{`    - {reason: SpecInvalid, status: "False", class: terminal, meaning: The spec is wrong.}` + "\n",
			""}, []string{"breaking reason-removed", "note tombstone-missing"}},
		"deprecated removed": {[]string{
			`    - {reason: Old, status: "False", meaning: It is old., deprecated: {renamedTo: SpecInvalid, since: v1, earliestRemoval: v3.0}}` +
				"\n", "",
			"[Gone]", "[Gone, Old]"}, []string{"note deprecated-reason-removed"}},
		"cell moved": {[]string{`{reason: Stuck, status: "True"`, `{reason: Stuck, status: "Unknown"`},
			[]string{"breaking status-narrowed", "breaking cell-moved", "note status-widened"}},
		"class": {[]string{"class: terminal", "class: transient"}, []string{"note class-changed"}},
		"tombstone reused": {[]string{"retired: [Gone]\n", "\n", "reason: Fine", "reason: Gone", "It is fine.", "Other."},
			[]string{"breaking tombstone-reused", "breaking reason-removed", "note tombstone-missing", "note reason-added-closed"}},
		"tombstone lost": {[]string{"    retired: [Gone]\n", ""}, []string{"note tombstone-removed"}},
		"opened":         {[]string{"retired: [Gone]", "retired: [Gone]\n    open: Read the status."}, []string{"note opened"}},
		"sunset":         {[]string{"earliestRemoval: v3.0", "earliestRemoval: v2.9"}, []string{"breaking sunset-too-soon"}},
		"later sunset":   {[]string{"earliestRemoval: v3.0", "earliestRemoval: v10.0"}, []string{"note deprecation-changed"}},
		"deprecated": {[]string{"reason: Fine, status: \"True\",", "reason: Fine, status: \"True\", deprecated: {note: Old.},"},
			[]string{"note deprecated"}},
		"precedence": {[]string{"reason: Stuck, status: \"True\", meaning: Stuck.", "reason: Moving, status: \"False\", meaning: Moves.",
			"}, {reason: Moving, status: \"False\", meaning: Moves.}]", "}, {reason: Stuck, status: \"True\", meaning: Stuck.}]"},
			[]string{"note precedence-changed"}},
		"path": {[]string{"  conditions:\n", "  path: status.list\n  conditions:\n"}, []string{"breaking path-moved"}},
		"presence": {[]string{"polarity: negative", "polarity: negative\n    presence: when-true"},
			[]string{"breaking presence-changed"}},
		"stability":    {[]string{"polarity: negative", "polarity: negative\n    stability: alpha"}, []string{"breaking stability-lowered"}},
		"another kind": {[]string{"kind: Thing}", "kind: Other}"}, []string{"breaking kind-removed", "compatible kind-added"}},
	}
	parse := func(text string) []*catalog.Document {
		sources, err := catalog.Parse("thing.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return []*catalog.Document{&sources[0].Document}
	}
	for name, test := range tests {
		after := before
		for i := 0; i+1 < len(test.edit); i += 2 {
			if !strings.Contains(after, test.edit[i]) {
				t.Errorf("%s: nothing to edit: %s", name, test.edit[i])
			}
			after = strings.Replace(after, test.edit[i], test.edit[i+1], 1)
		}
		var got []string
		for _, c := range Compare(parse(before), parse(after)) {
			got = append(got, string(c.Level)+" "+c.ID)
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestCompareVersions: where versions of a kind have a document each, each is compared with its own earlier one.
func TestCompareVersions(t *testing.T) {
	document := func(versions, meaning string) *catalog.Document {
		sources, err := catalog.Parse("thing.yaml",
			[]byte(strings.NewReplacer("kind: Thing}", "kind: Thing, versions: ["+versions+"]}", "Ready holds.", meaning).Replace(before)))
		if err != nil {
			t.Fatal(err)
		}
		return &sources[0].Document
	}
	one, two := document("v1beta1", "One."), document("v1beta2", "Two.")
	if got := Compare([]*catalog.Document{one, two}, []*catalog.Document{two, one}); len(got) > 0 {
		t.Errorf("the same documents in another order: %v", got)
	}
	got := Compare([]*catalog.Document{one, two}, []*catalog.Document{two, document("v1beta1", "Three.")})
	if len(got) != 1 || got[0].ID != "meaning-changed" {
		t.Errorf("one of two documents changed: %v", got)
	}
}

// TestEveryFieldHasARule: every field of the model has a change tag, so that no change of a catalog is left to "unhandled-change".
func TestEveryFieldHasARule(t *testing.T) {
	for _, of := range []any{catalog.Document{}, catalog.Metadata{}, catalog.For{}, catalog.Spec{}, catalog.Condition{}, catalog.Reason{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
			if field.Tag.Get("change") == "-" {
				continue
			}
			if r, ok := ruleOf(field); !ok || r.id == "" || r.what == "" || !slices.Contains([]Level{Breaking, Note, Compatible}, r.level) {
				t.Errorf("internal/declare/catalog/model.go: %T.%s needs a tag change:\"LEVEL ID: SUBJECT\" (level breaking, note or compatible; subject of the sentence \"... changed\"), "+
					"or change:\"-\" where Compare has code for it; it has %q", of, field.Name, field.Tag.Get("change"))
			}
		}
	}
	c := &comparer{}
	c.fields("x", reflect.ValueOf(struct{ A int }{1}), reflect.ValueOf(struct{ A int }{2}))
	if len(c.changes) != 1 || c.changes[0].ID != "unhandled-change" || c.changes[0].Level != Breaking {
		t.Errorf("a field without a rule: %v", c.changes)
	}
}
