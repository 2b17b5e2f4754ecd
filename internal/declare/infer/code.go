// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/source"
)

// Left is a place in code that writes a condition and that a draft does not have, or not with all that it can write.
type Left struct {
	Position catalog.Position
	Why      string
}

// String is file:line:column and the cause.
func (l Left) String() string { return l.Position.String() + ": " + l.Why }

// Code adds the conditions that scanned code writes to the kinds of the options and to those found before. It returns
// the places that need a person. A place belongs to the first type at hand that is such a kind, and otherwise to the
// first kind of the options. A reason that one function writes to several
// condition types becomes a fact. Comments of constants are meanings. Code that writes no condition is drafted from
// its constants.
func (d *Draft) Code(scan *source.Scan) (left []Left) {
	for _, name := range d.options.Kinds {
		d.kind("", name)
	}
	for _, s := range scan.Sites {
		fail := func(format string, args ...any) { left = append(left, Left{s.Position, fmt.Sprintf(format, args...)}) }
		k := d.kindAt(s)
		types, statuses, reasons := d.known(s.Types, true), d.known(s.Statuses, false), d.known(s.Reason, false)
		switch {
		case k == nil:
			fail("the kind is not known: %s (--kinds names it)", cmp.Or(strings.Join(s.Kinds, ", "), "no type is at hand"))
			continue
		case len(types.texts) == 0:
			fail("the type is not known: %s", types.open)
			continue
		case len(types.texts) > 1 && len(reasons.texts) > 1:
			fail("which of the reasons %s goes with which of the types %s is not known", strings.Join(reasons.texts, ", "),
				strings.Join(types.texts, ", "))
			continue
		case len(reasons.texts) == 0:
			fail("the reason is not known: %s", reasons.open)
		case types.open+reasons.open != "":
			fail("further values are not known: %s", cmp.Or(types.open, reasons.open))
		case len(statuses.texts) != 1:
			fail("the status of %s is not known: %s", strings.Join(reasons.texts, ", "), cmp.Or(statuses.open, strings.Join(statuses.texts, ", ")))
		}
		status := ""
		if len(statuses.texts) == 1 {
			status = statusIn(statuses.texts[0])
		}
		for _, conditionType := range types.texts {
			c := k.condition(d, conditionType)
			for _, reason := range reasons.texts {
				if one := c.cell(d, reason, status); one != nil && !slices.Contains(one.in, s.In) {
					one.in = append(one.in, s.In)
				}
			}
		}
	}
	all := constantsOf(scan)
	if len(scan.Sites) == 0 {
		d.constants(all)
	}
	d.explain(all)
	return left
}

// kindAt returns the kind of the object whose condition a place writes; nil if that is not known.
func (d *Draft) kindAt(s *source.Site) *kind {
	for _, name := range s.Kinds {
		for _, k := range d.kinds {
			if k.name == name[strings.LastIndexAny(name, ".*")+1:] {
				return k
			}
		}
	}
	return d.ownKind()
}

// statusIn returns the status that a text names; empty for any other.
func statusIn(text string) string {
	if wire.ValidStatus(conditions.Status(text)) {
		return text
	}
	return ""
}

// texts are the values that an expression can have.
type texts struct {
	texts []string
	open  string // an expression whose values are not known; empty: none
}

func (d *Draft) known(values []source.Value, types bool) (out texts) {
	for _, v := range values {
		valid := wire.ValidReason(v.Text) || types && wire.ValidType(v.Text)
		switch {
		case v.Known() && v.Text == "": // of a variable that is set later
		case !v.Known() || !valid:
			out.open = cmp.Or(v.Expr, string(v.How))
		case !slices.Contains(out.texts, v.Text):
			out.texts = append(out.texts, v.Text)
		}
	}
	return out
}

// facts takes the reasons that a function writes to several types out of these, and returns them as facts.
func (k *kind) facts(list []catalog.Condition, n notes) (out []catalog.Fact) {
	of := map[string][]int{} // the types that have a reason, each with one status
	var order []string
	for i, c := range list {
		count := map[string]int{}
		for _, r := range c.Reasons {
			count[r.Reason]++
		}
		for _, r := range c.Reasons {
			if count[r.Reason] == 1 {
				if of[r.Reason] == nil {
					order = append(order, r.Reason)
				}
				of[r.Reason] = append(of[r.Reason], i)
			}
		}
	}
	for _, reason := range order {
		if len(of[reason]) < 2 || !k.together(reason, of[reason]) {
			continue
		}
		f := catalog.Fact{Reason: reason, Sets: map[string]string{}}
		for _, i := range of[reason] {
			c := &list[i]
			at := slices.IndexFunc(c.Reasons, func(r catalog.Reason) bool { return r.Reason == reason })
			r := c.Reasons[at]
			f.Sets[c.Type] = r.Status
			if class := cmp.Or(r.Class, string(conditions.ClassTransient)); slices.Index(worse, class) > slices.Index(worse, f.Class) {
				f.Class = class
			}
			f.Meaning, f.Remedy = cmp.Or(f.Meaning, r.Meaning), cmp.Or(f.Remedy, r.Remedy)
			c.Reasons = slices.Delete(c.Reasons, at, at+1)
		}
		n.add(fmt.Sprintf("spec.facts[%d].reason", len(out)), "written to each of them by one function")
		out = append(out, f)
	}
	return out
}

// worse orders the classes that one fact has on several types: the last one decides.
var worse = []string{"", string(conditions.ClassOK), string(conditions.ClassSuspended), string(conditions.ClassProgress),
	string(conditions.ClassTransient), string(conditions.ClassTerminal)}

// together reports whether a function writes the reason to all of some types.
func (k *kind) together(reason string, types []int) bool {
	in := map[string]int{}
	for _, i := range types {
		for _, one := range k.types[i].cells {
			if one.reason == reason {
				for _, name := range one.in {
					in[name]++
				}
			}
		}
	}
	return slices.Max(append(slices.Collect(maps.Values(in)), 0)) == len(types)
}
