// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Unlisted lists the words that verdicts, states and remedies of a catalog name and that none of the vocabularies of its kinds has, in
// order of place: the other direction of [Vocabulary.Judge]. It is nil if no vocabulary is about the kinds of the catalog.
func Unlisted(k *catalog.Kind, vocabularies []Vocabulary) []string {
	known, any := map[string]bool{}, false
	for i := range vocabularies {
		v := &vocabularies[i]
		if v.about(k) {
			any = true
			v.words(known)
		}
	}
	if !any {
		return nil
	}
	var out []string
	miss := func(place, what string) {
		out = append(out, fmt.Sprintf("%s: %s: %s is in no vocabulary", k.Source.Metadata.Name, place, what))
	}
	for i := range k.Source.Spec.States {
		s := &k.Source.Spec.States[i]
		place := fmt.Sprintf("states[%d]", i)
		if s.Condition != "" && !known["condition "+s.Condition] {
			miss(place, "condition "+s.Condition)
			continue
		}
		for word := range s.Words {
			name := s.Path + "=" + word
			if s.Condition != "" {
				name = "condition " + s.Condition + "=" + word
				if !strings.Contains(word, "/") {
					continue // a status alone means every reason
				}
			}
			if !known[name] {
				miss(place, name)
			}
		}
	}
	for i := range k.Verdicts {
		place := fmt.Sprintf("verdicts[%d]", i)
		if k.Verdicts[i].When == nil {
			continue
		}
		for _, c := range k.Verdicts[i].When.Conditions() {
			if !known["condition "+c.Type] {
				miss(place, "condition "+c.Type)
			}
		}
		for _, word := range Literals(k.Verdicts[i].When.Source) {
			if !known[word] {
				miss(place, fmt.Sprintf("%q", word))
			}
		}
	}
	for i := range k.Source.Spec.Verdicts {
		v := &k.Source.Spec.Verdicts[i]
		known[cmp.Or(v.Reason, v.Verdict)] = true
	}
	for reason := range k.Source.Spec.Remedies {
		if !known[reason] {
			miss("remedies", fmt.Sprintf("%q", reason))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// about reports whether a vocabulary is about a kind of the document of a catalog.
func (v *Vocabulary) about(k *catalog.Kind) bool {
	return slices.ContainsFunc(k.Source.Spec.For.All(), func(kind schema.GroupKind) bool {
		return v.Group == kind.Group && (kind.Kind == catalog.AnyKind || slices.Contains(v.Kinds, kind.Kind))
	})
}

// words adds everything that a vocabulary lists: types, their words, words of fields, and each reason and word by itself.
func (v *Vocabulary) words(known map[string]bool) {
	for _, ignored := range v.Ignored {
		known[ignored], known["condition "+ignored] = true, true
	}
	for _, e := range v.list() {
		known[e.what()], known[e.name] = true, true
		for _, word := range e.words.all() {
			known[e.what()+"="+word] = true
			known[word] = true
			if _, reason, found := strings.Cut(word, "/"); found {
				known[reason] = true
			}
		}
	}
	for _, word := range []string{"True", "False", "Unknown", "None"} {
		known[word] = true
	}
}

var (
	quoted      = regexp.MustCompile(`'([^']*)'`)
	compared    = regexp.MustCompile(`(?:==|!=|\bin) *(\[[^\]]*\]|'[^']*')`)
	otherFields = regexp.MustCompile(`self\.(?:kind|spec|metadata)[^&|]*? *(?:==|!=|\bin) *(?:\[[^\]]*\]|'[^']*')`)
)

// Literals returns the words with which an expression compares fields of the status.
func Literals(expression string) []string {
	var out []string
	expression = otherFields.ReplaceAllString(expression, "")
	for _, m := range compared.FindAllStringSubmatch(expression, -1) {
		for _, word := range quoted.FindAllStringSubmatch(m[1], -1) {
			if word[1] != "" {
				out = append(out, word[1])
			}
		}
	}
	return out
}

// judged reports whether a catalog judges by words.
func judged(k *catalog.Kind) bool { return len(k.Source.Spec.States)+len(k.Verdicts) > 0 }

// Unread lists the catalogs of a set that judge by words and do not say where these were read, and those that were read more than a
// year before a time, with the date; both by name.
func Unread(set *catalog.Set, now time.Time) (none, old []string) {
	for _, k := range set.Kinds() {
		o, err := catalog.ParseOrigin(k.Source.Spec.Source)
		switch name := k.Source.Metadata.Name; {
		case err != nil && judged(k) && readsWords(k):
			none = append(none, name)
		case !o.Date.IsZero() && o.Date.AddDate(1, 0, 0).Before(now):
			old = append(old, name+", of "+o.Date.Format(time.DateOnly))
		}
	}
	slices.Sort(none)
	slices.Sort(old)
	return none, old
}

// readsWords reports whether a catalog reads a condition or compares a field with a word; one that only declares configuration does not.
func readsWords(k *catalog.Kind) bool {
	if len(k.Source.Spec.States) > 0 {
		return true
	}
	for i := range k.Verdicts {
		if w := k.Verdicts[i].When; w != nil && (len(w.Conditions()) > 0 || len(Literals(w.Source)) > 0) {
			return true
		}
	}
	return false
}
