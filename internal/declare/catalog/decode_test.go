// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// document is a valid catalog; tests replace parts of it.
const document = `apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: things.example.com}
spec:
  for: {group: example.com, kind: Thing}
  conditions:
  - type: Ready
    meaning: It works.
    reasons:
    - {reason: Working, status: "True", meaning: It does.}
    - {reason: Broken, status: "False", meaning: It does not.}
`

// replaced is document with the first occurrence of each old text replaced by the new one that follows it.
func replaced(t *testing.T, oldNew ...string) string {
	t.Helper()
	out := document
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(out, oldNew[i]) {
			t.Fatalf("document does not contain %q", oldNew[i])
		}
		out = strings.Replace(out, oldNew[i], oldNew[i+1], 1)
	}
	return out
}

func lines(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

func TestParse(t *testing.T) {
	status := `status: "True"`
	tests := map[string]struct {
		in   string
		want []string // errors
		docs int
	}{
		"valid":            {in: document, docs: 1},
		"empty file":       {in: ""},
		"only comments":    {in: "# nothing\n---\n# here\n---\n"},
		"two and an empty": {in: "# c\n---\n" + document + "---\n# empty\n---\n" + document + "...\n", docs: 2},
		"crlf":             {in: strings.ReplaceAll(document, "\n", "\r\n"), docs: 1},
		"byte order mark":  {in: "\uFEFF" + document, docs: 1},
		"anchor and alias": {in: replaced(t, `meaning: It works.`, `meaning: &m It works.`, `meaning: It does.`, `meaning: *m`), docs: 1},
		"tagged string":    {in: replaced(t, `Working, `+status, `Working, status: !!str True`), docs: 1},
		"JSON with tabs": {in: "{\n\t\"apiVersion\": \"tristate.dev/v1alpha1\", \"kind\": \"ConditionCatalog\",\n\t\"metadata\": {\"name\": \"a\"},\n" +
			"\t\"spec\": {\"for\": {\"kind\": \"A\"}, \"conditions\": []}\n}\n", docs: 1},
		"unknown key": {in: replaced(t, "  conditions:", "  conditons:"), want: []string{
			`f.yaml:6:3: spec.conditons: unknown key "conditons"; did you mean "conditions"?`}},
		"unknown key without a near one": {in: replaced(t, "name: things.example.com", "name: things.example.com, colour: red"), want: []string{
			`f.yaml:3:38: metadata.colour: unknown key "colour"; use one of "name", "labels", "annotations"`}},
		"key given twice": {in: replaced(t, "    meaning: It works.", "    meaning: It works.\n    meaning: Again."), want: []string{
			`f.yaml:9:5: spec.conditions[0].meaning: key "meaning" is given twice; the first one is in line 8`}},
		"status without quotes": {in: replaced(t, status, `status: True`), want: []string{
			`f.yaml:10:33: spec.conditions[0].reasons[0].status: status is a bool (True), want a string; write it in quotes: "True"`}},
		"status in lower case": {in: replaced(t, status, `status: "true"`), want: []string{
			`f.yaml:10:33: spec.conditions[0].reasons[0].status: unknown status "true"; did you mean "True"?`}},
		"enumeration": {in: replaced(t, "    meaning: It works.", "    polarity: good\n    meaning: It works."), want: []string{
			`f.yaml:8:15: spec.conditions[0].polarity: unknown polarity "good"; use one of "positive", "negative", "neutral"`}},
		"item outside of its enumeration": {in: replaced(t, "    meaning: It works.", "    meaning: It works.\n    statuses: ['True', Maybe]"),
			want: []string{
				`f.yaml:9:24: spec.conditions[0].statuses[1]: unknown item of statuses "Maybe"; use one of "True", "False", "Unknown"`}},
		"missing fields": {in: replaced(t, "  - type: Ready\n    meaning", "  - meaning", `reason: Broken, `, ""), want: []string{
			`f.yaml:7:5: spec.conditions[0].type: type is missing`,
			`f.yaml:10:7: spec.conditions[0].reasons[1].reason: reason is missing`}},
		"missing with one value": {in: replaced(t, "apiVersion: tristate.dev/v1alpha1\n", ""), want: []string{
			`f.yaml:1:1: apiVersion: apiVersion is missing; add apiVersion: tristate.dev/v1alpha1`}},
		"missing enumeration": {in: replaced(t, status+", ", ""), want: []string{
			`f.yaml:10:7: spec.conditions[0].reasons[0].status: status is missing; use one of "True", "False", "Unknown"`}},
		"empty value": {in: replaced(t, "meaning: It works.", "meaning:"), want: []string{
			`f.yaml:8:13: spec.conditions[0].meaning: meaning is empty; give it a value or leave the key out`}},
		"list for a mapping": {in: replaced(t, "{group: example.com, kind: Thing}", "[Thing]"), want: []string{
			`f.yaml:5:8: spec.for: for is a list, want a mapping`}},
		"mapping for a list": {in: replaced(t, "    meaning: It works.", "    meaning: It works.\n    aliases: {a: b}"), want: []string{
			`f.yaml:9:14: spec.conditions[0].aliases: aliases is a mapping, want a list`}},
		"number for a string": {in: replaced(t, "kind: Thing", "kind: 12"), want: []string{
			`f.yaml:5:35: spec.for.kind: kind is a number (12), want a string; write it in quotes: "12"`}},
		"string for a bool": {in: replaced(t, "    meaning: It works.", "    meaning: It works.\n    optional: yes"), want: []string{
			`f.yaml:9:15: spec.conditions[0].optional: optional is a string, want true or false`}},
		"number below the minimum": {in: replaced(t, "    meaning: It works.",
			"    meaning: It works.\n    derive: {aggregate: {of: all, tolerate: [{items: 'true', max: 0}, {items: 'true', max: 1.5}]}}"),
			want: []string{
				`f.yaml:9:67: spec.conditions[0].derive.aggregate.tolerate[0].max: max is 0, less than 1`,
				`f.yaml:9:92: spec.conditions[0].derive.aggregate.tolerate[1].max: max is a number (1.5), want a whole number`}},
		"durations": {in: replaced(t, "meaning: It does.", "meaning: It does., hold: 5 minutes, retry: -1s"),
			want: []string{
				`f.yaml:10:66: spec.conditions[0].reasons[0].hold: "5 minutes" is not a duration; write for example 30s, 5m or 1h30m`,
				`f.yaml:10:84: spec.conditions[0].reasons[0].retry: duration -1s is negative`}},
		"key that is no string": {in: replaced(t, "{name: things.example.com}", "{name: a, labels: {1: a, [b]: c}}"), want: []string{
			`f.yaml:3:30: metadata.labels: key is a number (1), want a string; write it in quotes: "1"`,
			`f.yaml:3:36: metadata.labels: key is a list, want a string`}},
		"merge key": {in: replaced(t, "    meaning: It works.", "    meaning: It works.\n    <<: {optional: true}"), want: []string{
			`f.yaml:9:5: spec.conditions[0]: merge key "<<" is not supported; write the keys out`}},
		"alias that contains itself": {in: replaced(t, "{group: example.com, kind: Thing}", "&a {group: *a, kind: Thing}"), want: []string{
			`f.yaml:5:8: spec.for.group: group is a mapping, want a string`}},
		"another kind": {in: "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n---\n" + document, docs: 1, want: []string{
			`f.yaml:2:7: kind: document is a ConfigMap, not a catalog; keep only documents of kind ConditionCatalog in the files of catalogs`}},
		"misspelt kind": {in: replaced(t, "ConditionCatalog", "ConditionsCatalog"), want: []string{
			`f.yaml:2:7: kind: unknown kind "ConditionsCatalog"; did you mean "ConditionCatalog"?`}},
		"another version": {in: replaced(t, "v1alpha1", "v1"), want: []string{
			`f.yaml:1:13: apiVersion: unknown apiVersion "tristate.dev/v1"; did you mean "tristate.dev/v1alpha1"?`}},
		"no mapping": {in: "- a\n", want: []string{
			`f.yaml:1:1: document is a list, want a catalog; write a mapping with apiVersion, kind, metadata and spec`}},
		"syntax error spoils its document only": {in: document + "---\na: [b\n---\n" + document, docs: 2, want: []string{
			`f.yaml:13:1: not YAML: did not find expected ',' or ']'; check the indentation, quotes and brackets here and in the line before`}},
		"indentation": {in: replaced(t, "    meaning: It works.", "   meaning: It works."), want: []string{
			`f.yaml:8:4: not YAML: did not find expected key; check the indentation, quotes and brackets here and in the line before`}},
		"tab": {in: replaced(t, "    meaning: It works.", "\tmeaning: It works."), want: []string{
			`f.yaml:8:2: not YAML: found a tab character that violates indentation; indent with spaces, not with tabs`}},
		"not UTF-8": {in: replaced(t, "It works.", "It w\xf6rks."), want: []string{
			`f.yaml:8:18: character '�' is not allowed in YAML; save the file as UTF-8; write the character as an escape in double quotes`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			docs, err := Parse("f.yaml", []byte(test.in))
			if diff := cmp.Diff(test.want, lines(err)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if test.docs != len(docs) {
				t.Errorf("got %d documents, want %d", len(docs), test.docs)
			}
		})
	}
}

func TestParseFills(t *testing.T) {
	in := replaced(t, "  conditions:",
		"  variables: {v: self.a}\n  relations:\n    parts: {kind: Part, owned: true, single: false}\n  conditions:",
		"    meaning: It works.",
		"    meaning: It works.\n    aliases: [Redy]\n    derive: {aggregate: {of: parts, tolerate: [{items: 'true', max: 0x2}]}}")
	docs, err := Parse("f.yaml", []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	no := false
	want := Document{APIVersion: APIVersion, Kind: DocumentKind, Metadata: Metadata{Name: "things.example.com"}, Spec: Spec{
		For:       For{Group: "example.com", Kind: "Thing"},
		Variables: map[string]string{"v": "self.a"},
		Relations: map[string]Relation{"parts": {Kind: "Part", Owned: true, Single: &no}},
		Conditions: []Condition{{Type: "Ready", Meaning: "It works.", Aliases: []string{"Redy"},
			Derive: &Derive{Aggregate: &Aggregate{Of: "parts", Tolerate: []Tolerance{{Items: "true", Max: 2}}}},
			Reasons: []Reason{{Reason: "Working", Status: "True", Meaning: "It does."},
				{Reason: "Broken", Status: "False", Meaning: "It does not."}}}},
	}}
	if diff := cmp.Diff(want, docs[0].Document); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	places := map[string]string{
		"":                               "f.yaml:1:1",
		"spec.relations.parts":           "f.yaml:8:12",
		"spec.relations.parts.owned":     "f.yaml:8:32",
		"spec.conditions[0]":             "f.yaml:10:5",
		"spec.conditions[0].aliases[0]":  "f.yaml:12:15",
		"spec.conditions[0].reasons[1]":  "f.yaml:16:7",
		"spec.conditions[0].no.such.one": "f.yaml:10:5",
	}
	for path, want := range places {
		if got := docs[0].At(path).String(); got != want {
			t.Errorf("At(%q) is %s, want %s", path, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	bomb := "a: &a [" + strings.Repeat("x,", 1000) + "]\n"
	for c := 'b'; c < 'h'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 1000))
	}
	reasons := "    - &r {reason: A, status: 'True', meaning: m, aliases: &l [" + strings.Repeat("x,", 2000) + "]}\n" +
		strings.Repeat("    - *r\n", 2000)
	tests := map[string]struct{ in, want string }{
		"bytes":     {strings.Repeat("#", maxBytes+1), "f.yaml:1:1: file has 4194305 bytes, more than 4194304; divide it into several files"},
		"documents": {strings.Repeat("---\n", maxDocuments+1), "f.yaml:1001:1: file has more than 1000 documents; divide it into several files"},
		"aliases that are not used": {replaced(t, "apiVersion", bomb+"apiVersion"),
			`f.yaml:1:1: a: unknown key "a"; use one of "apiVersion", "kind", "metadata", "spec"`},
		"aliases": {replaced(t, "    - {reason: W", reasons+"    - {reason: W"),
			"f.yaml:10:3035: spec.conditions[0].reasons[99].aliases[1486]: document has more than 200000 values, with those that aliases repeat"},
		"types": {replaced(t, "conditions:", "conditions:\n"+strings.Repeat("  - {type: T, meaning: m}\n", 201)),
			"f.yaml:207:5: spec.conditions[200]: document has more than 200 types; a kind with so many is generated: declare those that people read"},
		"reasons": {replaced(t, "    - {reason: W", strings.Repeat("    - {reason: R, status: 'True', meaning: m}\n", 2001)+"    - {reason: W"),
			"f.yaml:2010:7: spec.conditions[0].reasons[2000]: document has more than 2000 reasons; a kind with so many is generated: declare those that " +
				"people read"},
		"expressions": {replaced(t, "  conditions:", "  conditions:\n  - type: Lit\n    meaning: m\n    derive:\n      rules:\n"+
			strings.Repeat("      - {when: 'true', reason: R}\n", 1001)),
			"f.yaml:1011:16: spec.conditions[0].derive.rules[1000].when: document has more than 1000 expressions; a kind with so many is generated: " +
				"declare those that people read"},
		"errors": {"apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\n" + strings.Repeat("? a\n", 100_000),
			"f.yaml:4:3: a: key \"a\" is given twice; the first one is in line 3"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("f.yaml", []byte(test.in))
			got := lines(err)
			if len(got) > maxErrors+1 {
				t.Errorf("%d errors, want at most %d", len(got), maxErrors+1)
			}
			found := false
			for _, line := range got {
				found = found || line == test.want
			}
			if !found {
				t.Errorf("first errors\n%s\nwant among them\n%s", strings.Join(got[:min(3, len(got))], "\n"), test.want)
			}
		})
	}
}

// FuzzParse: no input makes Parse panic, each error stands inside of the file, and what is fine has positions.
func FuzzParse(f *testing.F) {
	f.Add([]byte(document))
	f.Add([]byte("a: [b\n---\n" + document))
	f.Add([]byte("apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nspec: {variables: {a: \"x\\u0041\\\n  y\", b: &c 'd''e', c: *c, d: >2-\n   f\n\n   g}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, err := Parse("f", data)
		content := strings.Split(string(data), "\n")
		inside := func(p Position) bool {
			return p.File == "f" && p.Line >= 1 && p.Line <= len(content) && p.Column >= 1 &&
				p.Column <= utf8.RuneCountInString(content[p.Line-1])+1
		}
		var errs Errors
		if err != nil && !errors.As(err, &errs) {
			t.Fatalf("error is %T", err)
		}
		for _, e := range errs {
			if !inside(e.Position) {
				t.Errorf("outside of the file: %v", e)
			}
			if e.Message == "" {
				t.Errorf("no message: %#v", e)
			}
		}
		for _, d := range docs {
			for path, p := range d.positions {
				if !inside(p) {
					t.Errorf("outside of the file: %s at %s", path, p)
				}
			}
		}
	})
}
