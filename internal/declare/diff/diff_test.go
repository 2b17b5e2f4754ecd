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

// edit replaces a part of a catalog.
type edit struct{ old, new string }

// TestCompare: one edit each, and all changes that it makes.
func TestCompare(t *testing.T) {
	tests := map[string]struct {
		edits []edit
		want  []string // levels and changes
	}{
		"nothing": {},
		"white space of meaning": {
			edits: []edit{{"Ready holds.", `"Ready  holds."`}},
		},
		"meaning": {
			edits: []edit{{"Ready holds.", "It is ready."}},
			want:  []string{"note meaning-changed"},
		},
		"polarity": {
			edits: []edit{{"polarity: negative", "polarity: neutral"}},
			want:  []string{"breaking polarity-changed"},
		},
		"type removed": {
			edits: []edit{
				{"type: Stalled", "type: Other"},
				{"meaning: Nothing moves.", "meaning: Something else."},
			},
			want: []string{"breaking type-removed", "note tombstone-missing", "note type-added"},
		},
		"type renamed": {
			edits: []edit{{"type: Stalled", "type: Stopped"}},
			want:  []string{"breaking renamed-without-alias", "note type-added"},
		},
		"type renamed with an alias": {
			edits: []edit{{"type: Stalled", "type: Stopped\n    aliases: [Stalled]"}},
			want:  []string{"note type-renamed"},
		},
		"reason renamed": {
			edits: []edit{
				{"reason: SpecInvalid", "reason: InvalidSpec"},
				{"renamedTo: SpecInvalid", "renamedTo: InvalidSpec"},
			},
			want: []string{"breaking renamed-without-alias", "note deprecation-changed", "note reason-added-closed"},
		},
		"reason with an alias": {
			edits: []edit{{"{reason: Fine,", "{reason: Good, aliases: [Fine],"}},
			want:  []string{"note reason-renamed"},
		},
		"reason removed": {
			edits: []edit{
				{`    - {reason: SpecInvalid, status: "False", class: terminal, meaning: The spec is wrong.}` + "\n", ""},
			},
			want: []string{"breaking reason-removed", "note tombstone-missing"},
		},
		"deprecated removed": {
			edits: []edit{
				{
					`    - {reason: Old, status: "False", meaning: It is old., deprecated: {renamedTo: SpecInvalid, since: v1, earliestRemoval: v3.0}}` + "\n",
					"",
				},
				{"[Gone]", "[Gone, Old]"},
			},
			want: []string{"note deprecated-reason-removed"},
		},
		"cell moved": {
			edits: []edit{{`{reason: Stuck, status: "True"`, `{reason: Stuck, status: "Unknown"`}},
			want:  []string{"breaking status-narrowed", "breaking cell-moved", "note status-widened"},
		},
		"class": {
			edits: []edit{{"class: terminal", "class: transient"}},
			want:  []string{"note class-changed"},
		},
		"tombstone reused": {
			edits: []edit{
				{"retired: [Gone]\n", "\n"},
				{"reason: Fine", "reason: Gone"},
				{"It is fine.", "Other."},
			},
			want: []string{"breaking tombstone-reused", "breaking reason-removed", "note tombstone-missing", "note reason-added-closed"},
		},
		"tombstone lost": {
			edits: []edit{{"    retired: [Gone]\n", ""}},
			want:  []string{"note tombstone-removed"},
		},
		"opened": {
			edits: []edit{{"retired: [Gone]", "retired: [Gone]\n    open: Read the status."}},
			want:  []string{"note opened"},
		},
		"sunset": {
			edits: []edit{{"earliestRemoval: v3.0", "earliestRemoval: v2.9"}},
			want:  []string{"breaking sunset-too-soon"},
		},
		"later sunset": {
			edits: []edit{{"earliestRemoval: v3.0", "earliestRemoval: v10.0"}},
			want:  []string{"note deprecation-changed"},
		},
		"deprecated": {
			edits: []edit{{"reason: Fine, status: \"True\",", "reason: Fine, status: \"True\", deprecated: {note: Old.},"}},
			want:  []string{"note deprecated"},
		},
		"precedence": {
			edits: []edit{
				{"reason: Stuck, status: \"True\", meaning: Stuck.", "reason: Moving, status: \"False\", meaning: Moves."},
				{"}, {reason: Moving, status: \"False\", meaning: Moves.}]", "}, {reason: Stuck, status: \"True\", meaning: Stuck.}]"},
			},
			want: []string{"note precedence-changed"},
		},
		"path": {
			edits: []edit{{"  conditions:\n", "  path: status.list\n  conditions:\n"}},
			want:  []string{"breaking path-moved"},
		},
		"presence": {
			edits: []edit{{"polarity: negative", "polarity: negative\n    presence: when-true"}},
			want:  []string{"breaking presence-changed"},
		},
		"another kind": {
			edits: []edit{{"kind: Thing}", "kind: Other}"}},
			want:  []string{"breaking kind-removed", "compatible kind-added"},
		},
	}
	for name, test := range tests {
		after := before
		for _, e := range test.edits {
			if !strings.Contains(after, e.old) {
				t.Errorf("%s: nothing to edit: %s", name, e.old)
			}
			after = strings.Replace(after, e.old, e.new, 1)
		}
		var got []string
		for _, c := range Compare(documents(t, before), documents(t, after)) {
			got = append(got, string(c.Level)+" "+c.ID)
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func documents(t *testing.T, text string) []*catalog.Document {
	sources, err := catalog.Parse("thing.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return []*catalog.Document{&sources[0].Document}
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
	three := document("v1", "Three.")
	three.Metadata.Name = "other"
	got = Compare([]*catalog.Document{one, two}, []*catalog.Document{document("v1beta1, v1beta2", "One."), three})
	if n := len(slices.DeleteFunc(got, func(c Change) bool { return c.ID != "kind-removed" && c.ID != "kind-added" })); n != 2 {
		t.Errorf("one document for two earlier ones: %d kinds removed or added, want 2: %v", n, got)
	}
}

// TestCompareRenamed: one new reason is the new name of at most one that is gone.
func TestCompareRenamed(t *testing.T) {
	after := strings.Replace(before, "{reason: Old, status: \"False\", meaning: It is old., deprecated: {renamedTo: SpecInvalid, since: v1, earliestRemoval: v3.0}}",
		"{reason: SpecFieldInvalid, status: \"False\", meaning: A field is wrong.}", 1)
	was := strings.Replace(after, "SpecFieldInvalid", "SpecInvalidField", 1)
	now := strings.Replace(after, "{reason: SpecInvalid, status: \"False\", class: terminal, meaning: The spec is wrong.}\n    - ", "", 1)
	renamed := 0
	for _, c := range Compare(documents(t, was), documents(t, now)) {
		if c.ID == "renamed-without-alias" {
			renamed++
		}
	}
	if renamed != 1 {
		t.Errorf("%d reasons are called SpecFieldInvalid now, want 1", renamed)
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
