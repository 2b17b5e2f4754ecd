// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/verdict"
	"github.com/tristate/tristate/verdict/internal/convention"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the generated page again")

// example reads the object of an example.
func example(t *testing.T, x convention.Example) map[string]any {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(x.Object))
	if err != nil {
		t.Fatalf("%s: %v", x.Object, err)
	}
	object, ok := decode(raw)
	if !ok {
		t.Fatalf("%s: no object", x.Object)
	}
	if object["apiVersion"] = "example.org/v1"; x.Kind != "" {
		object["kind"] = x.Kind
	} else if object["kind"] == nil {
		object["kind"] = "Lamp"
	}
	return object
}

// TestRulesListed: each rule that the source declares is in All, so that its examples are run and the page has it.
func TestRulesListed(t *testing.T) {
	listed := map[string]bool{}
	for _, r := range verdict.All {
		listed[r.ID] = true
	}
	files, err := filepath.Glob(filepath.Join("internal", "convention", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`&Rule\{\s*ID: "([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
			if !listed[m[1]] {
				t.Errorf("rule %s of %s is in no list: add it to the one at the end of the file (conditionRules, stateRules, fieldRules, objectRules or restRules)", m[1], file)
			}
		}
	}
}

// TestRules: each rule is documented, decides its example, and does not decide the similar one.
func TestRules(t *testing.T) {
	e := new(verdict.Engine)
	seen := map[string]bool{}
	for _, r := range verdict.All {
		t.Run(r.ID, func(t *testing.T) {
			if seen[r.ID] || r.ID == "" || r.Looks == "" || r.Why == "" || r.Says == "" || r.Tier.String() == "none" {
				t.Errorf("not documented, or twice: %+v", r)
			}
			seen[r.ID] = true
			if r.Yes.Object == "" {
				if !strings.HasPrefix(r.ID, "no-status/") {
					t.Error("no example")
				}
				return // a rule about the definition of a kind: see TestExpectation
			}
			if v := e.Judge(example(t, r.Yes), now); v.Rule != r.ID {
				t.Errorf("%s: decided by %s: %s %s", r.Yes.Object, v.Rule, v.Status, v.Message)
			}
			if v := e.Judge(example(t, r.No), now); v.Rule == r.ID {
				t.Errorf("%s: decided by this rule: %s %s", r.No.Object, v.Status, v.Message)
			}
		})
	}
}

// TestRulesPage: the page about the rules is generated from them, with the verdicts on their examples.
func TestRulesPage(t *testing.T) {
	file := filepath.Join("..", "docs", "verdict-rules.md")
	want := page(t)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/verdict-rules.md is not what the rules say; go test ./verdict -run TestRulesPage -update writes it again (-want +got):\n%s", diff)
	}
}

func page(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`# The rules of conventions

<!-- Generated from package verdict by its tests; do not edit. -->

An object of an unknown kind is judged by conventions. Each rule below looks at one condition or field and makes a claim. The claims
of all rules are collected, and the claim of the highest tier decides; of two claims in one tier, the first one by its place in the object.
` + "`tristate why --explain`" + ` prints the rule that decided, the claims that it outranked, and the words that were read.

A failure of an object that still serves (a summary condition is True) is Degraded rather than Failed. A component that is missing or not ready while
another one is being created makes the object InProgress rather than Failed, and so does one that is missing on an object younger than a minute, until the
minute ends. A claim that a summary sets aside is reported as a contradiction.

## The order

The highest tier first.

| tier | rules |
|---|---|
`)
	byTier := map[convention.Tier][]string{}
	for _, r := range verdict.All {
		byTier[r.Tier] = append(byTier[r.Tier], "`"+r.ID+"`")
	}
	for _, tier := range slices.Backward(slices.Sorted(maps.Keys(byTier))) {
		fmt.Fprintf(&b, "| %s | %s |\n", tier, strings.Join(byTier[tier], ", "))
	}
	e := new(verdict.Engine)
	show := func(title string, x convention.Example) {
		if x.Object == "" {
			return
		}
		v := e.Judge(example(t, x), now)
		kind := ""
		if x.Kind != "" {
			kind = "kind: " + x.Kind + ", "
		}
		fmt.Fprintf(&b, "- %s: `%s%s` is %s by `%s`: %s\n", title, kind, x.Object, v.Status, v.Rule, strings.TrimSpace(v.Message))
	}
	b.WriteString("\n## The rules\n")
	for _, r := range verdict.All {
		fmt.Fprintf(&b, "\n### %s\n\nLooks at %s. Says %s, %s, in the tier %s.\n\n%s\n\n", r.ID, r.Looks, r.Says, r.Unless, r.Tier, r.Why)
		if r.Keep != "" {
			fmt.Fprintf(&b, "No object of the corpora needs it; it is kept because %s.\n\n", r.Keep)
		}
		show("it decides", r.Yes)
		show("it does not decide", r.No)
	}
	b.WriteString("\n## The words\n\nWhere a word counts (word: in reasons, states and types; message: in sentences; both: in either; whole: values that are read as a whole), what it means, and an example that has it, a " +
		"vendor's where one is known. A word that is not listed and ends in -ing is an activity, and one that begins with un- and ends in -able is broken. " +
		"One without which no object of any corpus is judged otherwise, which TestAblation of `proof/score` tries, is kept for the reason next to it.\n\n" +
		"| where | meaning | word | example | kept although no object needs it |\n|---|---|---|---|---|\n")
	for _, w := range verdict.Words() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", w.In, w.Meaning, w.Word, w.Example, w.Keep)
	}
	return b.String()
}

// TestWordExamples: a word is read in its example, with the meaning that the table has, in a state, a reason, a type or a sentence. A word
// that means nothing would have a meaning if it were not listed.
func TestWordExamples(t *testing.T) {
	e := new(verdict.Engine)
	for _, w := range verdict.Words() {
		if w.Example == "" {
			t.Errorf("%s %s: %s has no example", w.In, w.Meaning, w.Word)
			continue
		}
		condition := func(typ, status, reason, message string) map[string]any {
			return map[string]any{"conditions": []any{map[string]any{"type": typ, "status": status, "reason": reason, "message": message}}}
		}
		read := false
		for _, status := range []map[string]any{
			{"phase": w.Example}, condition("Ready", "False", w.Example, ""), condition("Synced", "True", w.Example, ""),
			condition(w.Example, "True", "", ""),
			condition("Ready", "False", "NotReady", w.Example), condition("Ready", "False", "", w.Example), {"message": w.Example},
			{"error": w.Example},
		} {
			object := map[string]any{"apiVersion": "example.org/v1", "kind": "Thing", "metadata": map[string]any{"name": "x"},
				"spec": map[string]any{}, "status": status}
			_, x := e.Explain(object, now)
			for _, in := range placesOf(w) {
				read = read || slices.Contains(x.Words, verdict.WordRead{Word: w.Word, Meaning: w.Meaning, In: in})
			}
			if w.Meaning == "nothing" {
				_, without := e.Without(nil, w).Explain(object, now)
				read = read || !cmp.Equal(x.Words, without.Words)
			}
		}
		if !read {
			t.Errorf("%s %s: %s is not read in %q", w.In, w.Meaning, w.Word, w.Example)
		}
	}
}

// placesOf lists the tables that have a word.
func placesOf(w verdict.Word) []string {
	if w.In == "both" {
		return []string{"word", "message"}
	}
	return []string{w.In}
}

// TestKeep: a word that no object needs is kept for a reason that holds.
func TestKeep(t *testing.T) {
	meaning := map[string]verdict.Word{}
	for _, w := range verdict.Words() {
		meaning[w.Word] = w
	}
	for _, w := range verdict.Words() {
		base, isForm := strings.CutPrefix(w.Keep, "another form of ")
		holds := w.Keep == "" || len(w.Keep) > 10
		switch {
		case isForm:
			of, ok := meaning[base]
			holds = ok && of.Meaning == w.Meaning && !strings.HasPrefix(of.Keep, "another form")
		case strings.HasPrefix(w.Keep, "a thing rather"):
			holds = w.Meaning == "nothing" && strings.HasSuffix(w.Word, "ing")
		case strings.HasPrefix(w.Keep, "lasts, although"):
			holds = w.Meaning == "good" && strings.HasSuffix(w.Word, "ing")
		case strings.HasPrefix(w.Keep, "an activity: in a sentence"):
			holds = w.Meaning == "under-way" && w.In == "message" && strings.HasSuffix(w.Word, "ing")
		case strings.HasPrefix(w.Keep, "broken, although the ending"):
			holds = w.Meaning == "broken" && strings.HasSuffix(w.Word, "ed")
		}
		if !holds {
			t.Errorf("%s %s is kept as %q, which does not hold", w.In, w.Word, w.Keep)
		}
	}
}

// TestWordTable: each word has a place and a meaning, and is there once.
func TestWordTable(t *testing.T) {
	seen := map[[2]string]bool{}
	for _, w := range verdict.Words() {
		if seen[[2]string{w.In, w.Word}] || !strings.Contains(" word message both whole ", " "+w.In+" ") ||
			!strings.Contains(" good not-so held under-way not-known broken nothing ", " "+w.Meaning+" ") || w.Word == "" {
			t.Errorf("twice, or of no known place or meaning: %+v", w)
		}
		seen[[2]string{w.In, w.Word}] = true
	}
	if len(seen) < 250 {
		t.Errorf("want all words, got %d", len(seen))
	}
}
