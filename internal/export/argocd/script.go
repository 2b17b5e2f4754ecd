// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/verdict"
)

//go:embed reader.lua
var reader string

//go:embed chars.lua
var chars string

//go:embed expressions.lua
var expressions string

//go:embed declared.lua
var declared string

//go:embed rules.lua
var rules string

//go:embed fallback.lua
var fallback string

// Script returns the health check of a kind, with what it cannot express. The script returns the health of obj as a table with status and
// message, and is valid without the standard libraries of Lua.
func Script(s *export.Subject) (string, []export.Difference) {
	var b strings.Builder
	b.WriteString(export.Header("--", "argocd") + "-- Health of " + s.Name() + ".\n" + reader)
	var differences []export.Difference
	for i, k := range s.Kinds {
		if i < len(s.Kinds)-1 || len(k.Versions) > 0 && len(s.Kinds) > 1 {
			var versions []string
			for _, v := range k.Versions {
				versions = append(versions, "at(obj, \"apiVersion\") == "+quote(strings.TrimPrefix(s.For.Group+"/"+v, "/")))
			}
			fmt.Fprintf(&b, "if %s then\n", strings.Join(versions, " or "))
			differences = append(differences, body(&b, s, k)...)
			b.WriteString("end\n")
			continue
		}
		differences = append(differences, body(&b, s, k)...)
	}
	if last := s.Kinds[len(s.Kinds)-1]; len(s.Kinds) > 1 && len(last.Versions) > 0 {
		b.WriteString(usual(s) + "return usual()\n")
	}
	return prune(b.String()), export.SortDifferences(differences)
}

// body writes the tables of a kind and the reader of those that it has, and returns the health at its end.
func body(b *strings.Builder, s *export.Subject, k *catalog.Kind) []export.Difference {
	out := append(export.Common(s, k), export.Difference{Subject: s.Name(), ID: export.Repeated,
		Why: "of several conditions of one type the worst counts, and not the newest"})
	packed := len(k.Verdicts)+len(k.Source.Spec.States) > 0
	hasTypes := len(k.Declaration.Types) > 0
	variables, names := variablesOf(k)
	compiled, lacks := compile(s, k, names)
	out = append(out, lacks...)
	needsExpressions := strings.Contains(compiled, "function()")
	if strings.Contains(k.At.String(), "[*]") || needsExpressions {
		b.WriteString(strings.Replace(chars, "BYTES", allBytes(), 1))
	}
	fmt.Fprintf(b, "local at_ = %s\n", array(k.Path))
	if needsExpressions {
		b.WriteString("local aliases = {")
		for i := range k.Declaration.Types {
			t := &k.Declaration.Types[i]
			for _, alias := range t.Aliases {
				fmt.Fprintf(b, "[%s] = %s, ", quote(alias), quote(t.Name))
			}
		}
		b.WriteString("}\n")
		b.WriteString(expressions)
		b.WriteString(variables)
	}
	if packed {
		b.WriteString(compiled)
		b.WriteString(rules)
	}
	if hasTypes {
		writeTypes(b, s, k)
		b.WriteString(declared)
	}
	b.WriteString(deleting)
	if packed {
		b.WriteString("local found = packed()\nif found ~= nil then return found end\n")
	}
	if hasTypes {
		b.WriteString("return conditions()\n")
	} else {
		b.WriteString("do\n" + usual(s) + "return usual()\nend\n")
	}
	return out
}

// usual writes the reader of objects that no rule is about.
func usual(s *export.Subject) string {
	silent := export.SilenceOf(s)
	return fmt.Sprintf("local isConfiguration, isProvider, isSchedule = %t, %t, %t\n%s", silent.Configuration, silent.Provider,
		silent.Schedule, fallback)
}

const deleting = `if text(at(meta, "deletionTimestamp")) ~= "" then
  local n, first = 0, ""
  each(at(meta, "finalizers"), function(f)
    n = n + 1
    if text(f) ~= "" and (first == "" or f < first) then first = f end
  end)
  if n == 0 then return answer("Terminating", "deletion is requested") end
  if n == 1 then return answer("Terminating", "deletion is requested, finalizer " .. first .. " is left") end
  return answer("Terminating", "deletion is requested, " .. number(n) .. " finalizers are left, among them " .. first)
end
`

// compile writes the rules and tables of a catalog.
func compile(s *export.Subject, k *catalog.Kind, variables map[string]string) (string, []export.Difference) {
	var out []export.Difference
	var b strings.Builder
	plan := pack.PlanOf(k)
	fmt.Fprintf(&b, "local readsGeneration, afterSuccess = %t, %t\nlocal rules = {\n", plan.ReadsGeneration, plan.AfterSuccess)
	for i := range k.Verdicts {
		v, p := &k.Verdicts[i], plan.Rules[i]
		where := fmt.Sprintf("verdicts[%d]", i)
		when := "nil"
		if v.When != nil {
			body, missing := translate(v.When.Root(), variables)
			if missing != "" {
				out = append(out, export.Difference{Subject: s.Name(), ID: export.Expression, Where: where,
					Why: "the rule needs " + missing + ", which a health check in Lua lacks"})
				continue
			}
			when = "function() return " + body + " end"
		}
		fmt.Fprintf(&b, "  {verdict = %s, status = %t, conditions = %s, bad = {", quote(v.Verdict), p.Status, array(p.Conditions))
		for _, name := range slices.Sorted(maps.Keys(p.Bad)) {
			fmt.Fprintf(&b, "[%s] = true, ", quote(name))
		}
		b.WriteString("}, when = " + when)
		if v.Message != nil {
			if body, missing := translate(v.Message.Root(), variables); missing == "" {
				b.WriteString(", message = function() return " + body + " end")
			} else {
				out = append(out, export.Difference{Subject: s.Name(), ID: export.Message, Where: where,
					Why: "the message needs " + missing + ", which a health check in Lua lacks"})
			}
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\nlocal states = {\n")
	for i := range k.Source.Spec.States {
		writeState(&b, &k.Source.Spec.States[i])
	}
	b.WriteString("}\n")
	return b.String(), out
}

func writeState(b *strings.Builder, st *catalog.State) {
	b.WriteString("  {")
	if st.Condition != "" {
		b.WriteString("condition = " + quote(st.Condition))
	} else {
		b.WriteString("path = " + array(strings.Split(st.Path, ".")))
	}
	for _, one := range []struct{ name, verdict string }{{"otherwise", st.Otherwise}, {"absent", st.Absent}} {
		if one.verdict != "" {
			fmt.Fprintf(b, ", %s = %s", one.name, quote(one.verdict))
		}
	}
	if st.Message != "" {
		b.WriteString(", message = " + array(strings.Split(st.Message, ".")))
	}
	b.WriteString(", words = {")
	for _, word := range slices.Sorted(maps.Keys(st.Words)) {
		status, reason := word, ""
		if st.Condition != "" {
			status, reason, _ = strings.Cut(word, "/")
		}
		fmt.Fprintf(b, "[%s] = %s, ", quote(status+"/"+reason), quote(st.Words[word]))
	}
	b.WriteString("}},\n")
}

// writeTypes writes the conditions that a catalog declares, those that do not count left out.
func writeTypes(b *strings.Builder, s *export.Subject, k *catalog.Kind) {
	semantics := pack.Semantics(s.Set, k)
	needs := false
	b.WriteString("local types = {\n")
	for _, name := range slices.Sorted(maps.Keys(semantics.Types)) {
		t := semantics.Types[name]
		if t.Role == conditions.RoleInformational {
			continue
		}
		summary := t.Role == conditions.RoleSummary
		needs = needs || summary && t.Always
		polarity := "positive"
		if t.Polarity == conditions.Negative || t.Polarity == conditions.Neutral {
			polarity = string(t.Polarity)
		}
		fmt.Fprintf(b, "  [%s] = {position = %d, polarity = %s, summary = %t, cells = {\n", quote(name), t.Position, quote(polarity), summary)
		for _, cell := range slices.SortedFunc(maps.Keys(t.Cells), func(a, b verdict.Cell) int {
			return strings.Compare(a.Status+"/"+a.Reason, b.Status+"/"+b.Reason)
		}) {
			r := t.Cells[cell]
			class := r.Class
			if class == "" {
				class = conditions.ClassOK
			}
			fmt.Fprintf(b, "    [%s] = {class = %s", quote(cell.Status+"/"+cell.Reason), quote(string(class)))
			if r.Severity != "" {
				b.WriteString(", severity = " + quote(string(r.Severity)))
			}
			if r.Name != "" && r.Name != cell.Reason {
				b.WriteString(", name = " + quote(r.Name))
			}
			b.WriteString("},\n")
		}
		b.WriteString("  }},\n")
	}
	fmt.Fprintf(b, "}\nlocal needsSummary, healthyWithout = %t, %t\nlocal path = {", needs, semantics.HealthyWithout())
	for step := range strings.SplitSeq(k.At.String(), ".") {
		name, each := strings.CutSuffix(step, "[*]")
		fmt.Fprintf(b, "{name = %s, each = %t}, ", quote(name), each)
	}
	b.WriteString("}\n")
}

// quote writes a text as a Lua string. Every byte that is not printable ASCII is written as a decimal escape.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, "\\%03d", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// array writes texts as a Lua array.
func array(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = quote(s)
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// allBytes writes the 256 bytes as Lua strings. A zero byte sorts before all others and ends no string in Lua.
func allBytes() string {
	out := make([]string, 256)
	for i := range out {
		out[i] = fmt.Sprintf("\"\\%03d\"", i)
	}
	return strings.Join(out, ",")
}
