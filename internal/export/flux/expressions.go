// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/verdict"
)

// Word returns the word of Flux for a verdict.
func Word(s verdict.Status) string {
	switch s {
	case verdict.Current, verdict.Suspended:
		return "Current"
	case verdict.Failed, verdict.Degraded, verdict.NotFound:
		return "Failed"
	}
	return "InProgress"
}

// The differences that only Flux has.
const (
	// AbsentField: an object lacks a top-level field that an expression reads; Flux reports an error, and goes on waiting.
	AbsentField = "absent-field"
	// GenerationFirst: Flux compares the generations before everything else.
	GenerationFirst = "generation-first"
	// OddConditions: two conditions have one type, two are summaries, as by an alias, or a status is not one of the
	// three words.
	OddConditions = "odd-conditions"
	// TypeError: a field has a type that the rule does not expect; Flux reports an error, and goes on waiting.
	TypeError = "type-error"
)

// step is a question and its answer, a word of Flux.
type step struct{ when, word string }

// A tail answers where no step does: with a word, or by steps about ll, the value of bind.
type tail struct {
	word, bind string
	steps      []step
}

// steps writes the questions about a catalog, the first of which that is true answers, and what answers without any.
func steps(s *export.Subject, k *catalog.Kind) (list []step, otherwise tail, differences []export.Difference, err error) {
	differences = append(export.Common(s, k),
		export.Difference{Subject: s.Name(), ID: AbsentField, Why: "an object without spec or status is an error, and Flux goes on waiting"},
		export.Difference{Subject: s.Name(), ID: GenerationFirst,
			Why: "a status about an older generation is in progress, whatever a rule or a condition of the new one reports"},
		export.Difference{Subject: s.Name(), ID: TypeError, Why: "a field of another type than expected can be an error, and Flux goes on " +
			"waiting"})
	differences = append(differences, export.Difference{Subject: s.Name(), ID: OddConditions,
		Why: "of two conditions of one type, and of two summaries, any may count in place of the worst, and a status is one of three words"})
	list = append(list, step{`metadata.?deletionTimestamp.orValue("") != "" && type(metadata.?deletionTimestamp.orValue("")) == string`,
		"InProgress"})
	t, err := newTranslator(k)
	if err != nil {
		return nil, tail{}, nil, err
	}
	plan := pack.PlanOf(k)
	for i := range k.Verdicts {
		v, when := &k.Verdicts[i], "true"
		if v.When != nil {
			var missing string
			if when, missing = t.holds(v.When.Source); missing != "" {
				differences = append(differences, export.Difference{Subject: s.Name(), ID: export.Expression, Where: fmt.Sprintf("verdicts[%d]", i),
					Why: "the rule needs " + missing + ", which CEL has not here"})
				continue
			}
		}
		for _, name := range plan.Rules[i].Conditions {
			when += " && !" + t.old(name)
		}
		list = append(list, step{when, Word(verdict.Status(v.Verdict))})
	}
	for i := range k.Source.Spec.States {
		list = append(list, t.state(&k.Source.Spec.States[i])...)
	}
	if len(k.Declaration.Types) > 0 {
		otherwise, err = declared(s, k)
		return list, otherwise, differences, err
	}
	if !export.SilenceOf(s).Provider {
		list = append(list, step{emptyStatus, "InProgress"})
	}
	return append(list,
		step{t.isTrue("Reconciling"), "InProgress"}, step{t.isTrue("Stalled"), "Failed"},
		step{t.isTrue("Ready"), "Current"}, step{t.reports("Ready"), "InProgress"},
		step{t.isTrue("Available"), "Current"}, step{t.reports("Available"), "InProgress"},
		step{"status.?conditions.orValue([0]) == []", "InProgress"}), tail{word: "Current"}, differences, nil
}

// emptyStatus writes whether a status has no value.
const emptyStatus = `type(status) != map || status.all(k, status[k] in [null, "", [], {}])`

// reports writes whether a condition is there.
func (t *translator) reports(name string) string {
	return fmt.Sprintf("%s.exists(c, c.?type.orValue(\"\") == %q)", t.list, name)
}

// isTrue writes whether a condition is True.
func (t *translator) isTrue(name string) string {
	return fmt.Sprintf("%s.exists(c, c.?type.orValue(\"\") == %q && %s)", t.list, name, hasStatus("True"))
}

// hasStatus writes whether c has a status, in any of the ways in which it is read.
func hasStatus(status string) string {
	yes, no := `c.?status.orValue("") in ["True", "true", "TRUE", true]`, `c.?status.orValue("") in ["False", "false", "FALSE", false]`
	switch status {
	case "True":
		return yes
	case "False":
		return no
	}
	return "!(" + yes + ") && !(" + no + ")"
}

// old writes whether a condition is about an older generation.
func (t *translator) old(name string) string {
	return fmt.Sprintf("%s.exists(c, c.?type.orValue(\"\") == %q && "+
		"c.?observedGeneration.orValue(-1) >= 0 && c.?observedGeneration.orValue(-1) < metadata.?generation.orValue(-1))", t.list, name)
}

// state writes a table: words with a reason before those without one.
func (t *translator) state(st *catalog.State) []step {
	var out []step
	words := slices.SortedFunc(maps.Keys(st.Words), func(a, b string) int {
		return cmp.Or(-cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	if st.Condition == "" {
		value := listOf(strings.Split(st.Path, "."))
		value = strings.TrimSuffix(value, "([])") + `("")`
		isText := "type(" + value + ") in [string, bool, int, double] && string(" + value + `) != ""`
		for _, w := range words {
			when := fmt.Sprintf("%s == %q", value, w)
			if scalar, err := strconv.ParseFloat(w, 64); err == nil {
				when += fmt.Sprintf(" || %s == %s", value, strconv.FormatFloat(scalar, 'f', -1, 64))
			} else if w == "true" || w == "false" {
				when += fmt.Sprintf(" || %s == %s", value, w)
			}
			out = append(out, step{when, Word(verdict.Status(st.Words[w]))})
		}
		if st.Otherwise != "" {
			out = append(out, step{isText, Word(verdict.Status(st.Otherwise))})
		}
		if st.Absent != "" {
			out = append(out, step{"!(" + isText + ")", Word(verdict.Status(st.Absent))})
		}
		return out
	}
	fresh := " && !" + t.old(st.Condition)
	for _, w := range words {
		status, reason, _ := strings.Cut(w, "/")
		when := hasStatus(status)
		if reason != "" {
			when += fmt.Sprintf(" && c.?reason.orValue(\"\") == %q", reason)
		}
		out = append(out, step{fmt.Sprintf("%s.exists(c, c.?type.orValue(\"\") == %q && %s)", t.list, st.Condition, when) + fresh,
			Word(verdict.Status(st.Words[w]))})
	}
	if st.Otherwise != "" {
		out = append(out, step{t.reports(st.Condition) + fresh, Word(verdict.Status(st.Otherwise))})
	}
	if st.Absent != "" {
		out = append(out, step{"!" + t.reports(st.Condition), Word(verdict.Status(st.Absent))})
	}
	return out
}

// declared writes the questions about the conditions that a catalog declares. Each condition becomes a word of two
// characters: S for a summary or D for a dependent one, and the rank of its class, from 0 for healthy to 4 for
// terminal. l is the list of these words, for each list of conditions.
func declared(s *export.Subject, k *catalog.Kind) (tail, error) {
	semantics := pack.Semantics(s.Set, k)
	ranks := map[conditions.Class]int{conditions.ClassSuspended: 1, conditions.ClassProgress: 2, conditions.ClassTransient: 3,
		conditions.ClassTerminal: 4}
	code, needs := `"N0"`, false
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(semantics.Types))) {
		t := semantics.Types[name]
		if t.Role == conditions.RoleInformational {
			continue
		}
		letter := "D"
		if t.Role == conditions.RoleSummary {
			letter = "S"
			needs = needs || t.Always
		}
		code = fmt.Sprintf("c.t == %q ? %s : %s", name, typeCode(letter, t, ranks), code)
	}
	var lists string
	path := strings.Split(k.At.String(), ".")
	element, nested := "", 0
	for i, name := range path {
		name, each := strings.CutSuffix(name, "[*]")
		path[i] = name
		if each {
			nested++
			element = strings.TrimSuffix(listOf(path[:i+1]), ".orValue([])")
			path = append([]string{"e"}, path[i+1:]...)
			break
		}
	}
	if nested > 0 && strings.Contains(strings.Join(path, "."), "[*]") {
		return tail{}, fmt.Errorf("%s has its conditions in lists of lists, which Flux cannot read", s.Name())
	}
	codes := fmt.Sprintf("%s.map(c, %s).map(c, %s)", listOf(path), read, code)
	if nested > 0 {
		lists = fmt.Sprintf("%s.orValue([]).map(e, %s)", element, codes)
	} else {
		lists = "[" + codes + "]"
	}
	in := func(word string) string { return fmt.Sprintf("ll.exists(l, %q in l)", word) }
	any := func(letter string, from, to int) string {
		var out []string
		for rank := from; rank <= to; rank++ {
			out = append(out, in(fmt.Sprint(letter, rank)))
		}
		return "(" + strings.Join(out, " || ") + ")"
	}
	// The rank of a list of words is the highest one.
	summary, dependent := any("S", 0, 4), any("D", 0, 4)
	silent := "false"
	if nested > 0 {
		silent = `ll.exists(l, !l.exists(w, w.startsWith("S")) && (!l.exists(w, w.startsWith("D")) || ` + fmt.Sprint(needs) + "))"
	}
	steps := []step{{in("SX"), "InProgress"}}
	if semantics.HealthyWithout() {
		observed := "status.?observedGeneration.orValue(-1) == metadata.?generation.orValue(-2)"
		steps = append(steps, step{"!" + summary + " && !" + dependent + " && " + observed, "Current"})
	}
	return tail{bind: lists, steps: append(steps, []step{
		{"!" + summary + " && !" + dependent, "InProgress"},
		{"!" + summary + " && " + in("D4"), "Failed"},
		{"!" + summary + " && (" + any("D", 2, 3) + fmt.Sprintf(" || %t && !%s)", needs, any("D", 1, 4)), "InProgress"},
		{in("S4"), "Failed"},
		{any("S", 2, 3) + " && " + in("D4"), "Failed"},
		{any("S", 2, 3), "InProgress"},
		{in("S1"), "Current"},
		{any("D", 3, 4) + " && !" + silent, "Failed"},
		{in("D2") + " || " + silent + " && !" + in("D1"), "InProgress"},
		{"true", "Current"},
	}...)}, nil
}

// read selects from a condition c its type, status, reason and severity, and whether its generation is old or
// impossible.
var read = `{"t": c.?type.orValue(""), "s": ` + hasStatus("True") + ` ? "True" : ` + hasStatus("False") + ` ? "False" : "Unknown", ` +
	`"r": type(c.?reason.orValue("")) == string ? c.?reason.orValue("") : "", "i": c.?severity.orValue("") == "Info", ` +
	`"o": c.?observedGeneration.orValue(metadata.?generation.orValue(-1)) < metadata.?generation.orValue(-1), ` +
	`"x": c.?observedGeneration.orValue(0) < -1 || c.?observedGeneration.orValue(0) > metadata.?generation.orValue(9223372036854775807)}`

// typeCode writes the two letters of a condition c of a type, as [read] has it.
func typeCode(letter string, t *verdict.TypeSemantics, ranks map[conditions.Class]int) string {
	byRank := map[int][]string{}
	fallback := map[string]int{} // by status, for any other reason
	guessed := map[string]bool{} // a severity changes it
	for _, status := range []string{"True", "False", "Unknown"} {
		if r := t.Cells[verdict.Cell{Status: status}]; r != nil {
			fallback[status] = ranks[r.Class]
			continue
		}
		fallback[status] = undeclaredRank(t, conditions.Status(status))
		guessed[status] = fallback[status] == 4
	}
	for cell, r := range t.Cells {
		if rank := ranks[r.Class]; cell.Reason != "" && (rank != fallback[cell.Status] || guessed[cell.Status]) {
			byRank[rank] = append(byRank[rank], cell.Status+"/"+cell.Reason)
		}
	}
	code := func(rank int) string { return fmt.Sprintf("%q", fmt.Sprint(letter, rank)) }
	out := ""
	if letter == "S" {
		out = `c.x ? "SX" : `
	}
	out += "c.o ? " + code(2) + " : "
	for _, rank := range slices.Sorted(maps.Keys(byRank)) {
		slices.Sort(byRank[rank])
		out += fmt.Sprintf("c.s + \"/\" + c.r in [%s] ? %s : ", quoted(byRank[rank]), code(rank))
	}
	for _, status := range []string{"True", "False"} {
		word := code(fallback[status])
		if guessed[status] {
			word = "(c.i ? " + code(2) + " : " + code(4) + ")"
		}
		out += fmt.Sprintf("c.s == %q ? %s : ", status, word)
	}
	return "(" + out + code(fallback["Unknown"]) + ")"
}

// undeclaredRank is the rank of a cell that is not declared.
func undeclaredRank(t *verdict.TypeSemantics, status conditions.Status) int {
	switch {
	case t.Polarity.Good(status), t.Polarity == conditions.Neutral:
		return 0
	case status == conditions.Unknown && t.Polarity == conditions.Negative && t.Role != conditions.RoleSummary:
		return 0
	case status == conditions.Unknown:
		return 2
	}
	return 4
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ", ")
}
