// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"strings"
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/internal/expr"
	"github.com/tristate/tristate/verdict"
)

// rules judges by the verdict rules and states of a catalog.
type rules struct{ kind *catalog.Kind }

// Judge is the method of verdict.Pack.
func (r rules) Judge(object verdict.Object, now time.Time) (verdict.Verdict, bool) {
	v := verdict.Verdict{Confidence: verdict.FromCatalog, Rule: "catalog/" + r.kind.Source.Metadata.Name}
	return v, r.verdicts(object, now, &v) || r.states(object, &v)
}

func (r rules) verdicts(object verdict.Object, now time.Time, v *verdict.Verdict) bool {
	if len(r.kind.Verdicts) == 0 {
		return false
	}
	self, ok := object.Value().(map[string]any)
	if !ok {
		return false
	}
	c := &expr.Context{Now: now, Conditions: r.kind.List,
		Canonical: func(_ map[string]any, name string) string { return r.kind.Canonical(name) }}
	values := expr.Values{Self: self, Variables: map[string]any{}}
	for _, variable := range r.kind.Variables {
		if value, err := variable.Program.Eval(c, values); err == nil {
			values.Variables[variable.Name] = value
		}
	}
	for i := range r.kind.Verdicts {
		rule := &r.kind.Verdicts[i]
		if rule.When != nil {
			if holds, err := rule.When.Bool(c, values); err != nil || !holds {
				continue
			}
			for _, path := range rule.When.Uses.Paths["self"] {
				v.Prove("."+path, object.Get(strings.Split(path, ".")...).Value())
			}
		}
		v.Status, v.Reason = verdict.Status(rule.Verdict), rule.Reason
		if rule.Message != nil {
			if message, err := rule.Message.String(c, values); err == nil {
				v.Say(message)
			}
		}
		v.Ready = v.Status == verdict.Current || v.Status == verdict.Degraded
		v.NextLook = c.Next()
		return true
	}
	v.NextLook = c.Next()
	return false
}

func (r rules) states(object verdict.Object, v *verdict.Verdict) bool {
	for _, state := range r.kind.Source.Spec.States {
		field := object.Get(strings.Split(state.Path, ".")...)
		word := field.Text()
		status, known := state.Words[word]
		if !known {
			status = state.Otherwise
			if word == "" {
				status = state.Absent
			}
		}
		if status == "" {
			continue
		}
		v.Status, v.Reason = verdict.Status(status), word
		if word == "" {
			v.Reason = status
		}
		v.Prove("."+state.Path, field.Value())
		if state.Message != "" {
			v.Say(object.Get(strings.Split(state.Message, ".")...).Text())
		}
		v.Ready = v.Status == verdict.Current || v.Status == verdict.Degraded
		return true
	}
	return false
}
