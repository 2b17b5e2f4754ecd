// SPDX-License-Identifier: Apache-2.0

// Package judge joins what the others know into the judgement of an object that trees and tables show: the verdict of the engine,
// and the condition that explains it.
package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/pack"
	"github.com/tristate/tristate/relation"
	"github.com/tristate/tristate/verdict"
)

// Engine gives an engine that knows the kinds of a set of catalogs and those of the rule packs that are shipped.
func Engine(set *catalog.Set) *verdict.Engine {
	return pack.Default(set)
}

// New gives a function that judges objects as of now, by a set of catalogs and the rule packs that are shipped.
func New(set *catalog.Set, now time.Time) func(*relation.Object) relation.Judgement {
	engine := Engine(set)
	return func(o *relation.Object) relation.Judgement { return Of(engine, set, o, now) }
}

// Of judges one object with an engine.
func Of(engine *verdict.Engine, set *catalog.Set, o *relation.Object, now time.Time) relation.Judgement {
	v := engine.Judge(o.Content, now)
	j := relation.Judgement{Verdict: string(v.Status), Ready: v.Ready, Reason: v.Reason, Message: v.Message(), Since: v.Since(),
		Confidence: string(v.Confidence), Rule: v.Rule, Doubts: v.Contradictions(), NextLook: v.NextLook}
	for _, e := range v.Evidence() {
		j.Evidence = append(j.Evidence, relation.Evidence{Path: e.Path, Value: e.Value})
	}
	k := set.Of(o.GroupVersionKind())
	if k == nil || len(k.Declaration.Types) == 0 || engine.Mode == verdict.EngineKstatus {
		return j
	}
	explain(k, listsOf(k, o.Content), &j)
	return j
}

// named is one conditions list of an object, under the key of the element that holds it.
type named struct {
	key  string
	list []conditions.Condition
}

func listsOf(k *catalog.Kind, object map[string]any) []named {
	if !k.At.Many() {
		list, _ := conditions.FromUnstructured(k.List(object))
		return []named{{list: list}}
	}
	var out []named
	for _, place := range k.Lists(object) {
		list, _ := conditions.FromUnstructured(place.List)
		out = append(out, named{cmp.Or(place.Key, place.Path), list})
	}
	slices.SortStableFunc(out, func(a, b named) int { return strings.Compare(a.key, b.key) })
	return out
}

// explain names the dependent condition that explains why the object is not fine, and lists the others that are bad. The condition that
// decided comes first; then by class, by severity, those with a message, in declared order and by the key of the list. A condition without
// a message leaves the word to a summary with one.
func explain(k *catalog.Kind, lists []named, j *relation.Judgement) {
	var summary *relation.Complaint
	var all []ranked
	for t := range k.Declaration.Types {
		declared := &k.Declaration.Types[t]
		for _, l := range lists {
			i := find(k, l.list, declared.Name)
			if i < 0 {
				continue
			}
			c := &l.list[i]
			if declared.Role == conditions.RoleSummary && j.Since.IsZero() {
				j.Since = c.LastTransitionTime.Time
			}
			if declared.Polarity.Good(c.Status) {
				continue
			}
			one := complain(k, declared, c, l.key)
			switch declared.Role {
			case conditions.RoleSummary:
				summary = &one.Complaint
			case conditions.RoleDependent:
				one.own = len(k.Derivations) > 0 && !k.Derives(declared.Name)
				all = append(all, one)
			}
		}
	}
	switch j.Verdict {
	case string(verdict.Current), string(verdict.Suspended):
		return
	case string(verdict.Terminating): // the finalizers explain it, or the condition that names what is waited for
		for _, one := range all {
			if one.Type == "Deleting" && one.Message != "" {
				one.take(j)
			}
		}
		return
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(-compareBool(decided(j, a.Type), decided(j, b.Type)), cmp.Compare(a.rank, b.rank), -compareBool(a.Message != "", b.Message != ""))
	})
	if len(all) == 0 {
		return
	}
	others := all[1:]
	if first := all[0]; first.Message == "" && summary != nil && summary.Message != "" && first.rank >= rankUndecided {
		others = all // the summary says more
		if j.Remedy == "" {
			j.Remedy = first.Remedy
		}
	} else {
		first.take(j)
	}
	for _, one := range others {
		j.Others = append(j.Others, one.Complaint)
	}
}

// ranked is a bad condition with its place among the others, the lowest first.
type ranked struct {
	relation.Complaint
	rank int
	own  bool
}

// take makes a condition the one that explains a judgement.
func (r *ranked) take(j *relation.Judgement) {
	j.Type, j.Status, j.Reason, j.Severity, j.Message, j.Remedy, j.Own = r.Type, r.Status, r.Reason, r.Severity, r.Message, r.Remedy, r.own
	if !r.Since.IsZero() {
		j.Since = r.Since
	}
}

// decided reports whether a condition is what a judgement rests on.
func decided(j *relation.Judgement, conditionType string) bool {
	return len(j.Evidence) > 0 && strings.Contains(j.Evidence[0].Path, fmt.Sprintf("[?(@.type==%q)]", conditionType))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// rankUndecided is the rank from which on a condition only says that something is not there yet.
const rankUndecided = 20

// complain reads a bad condition.
func complain(k *catalog.Kind, declared *conditions.Type, c *conditions.Condition, key string) ranked {
	out := ranked{Complaint: relation.Complaint{Type: declared.Name, Status: c.Status, Reason: c.Reason, Severity: c.Severity, Message: c.Message, Since: c.LastTransitionTime.Time}}
	if key != "" {
		out.Message = strings.TrimSuffix(key+": "+c.Message, ": ")
	}
	severity, class := c.Severity, conditions.Class("")
	if reason := k.Reason(declared.Name, c.Reason, c.Status); reason != nil {
		out.Reason, out.Remedy, class = reason.Name, reason.Remedy, reason.Class
		severity = cmp.Or(severity, reason.Severity)
		if class != conditions.ClassProgress { // what is only not there yet is no error because nobody said otherwise
			out.Severity = severity
		}
	}
	switch {
	case c.Status == conditions.Unknown:
		out.rank = 40
	case class == conditions.ClassTerminal:
		out.rank = 0
	case class == conditions.ClassProgress:
		out.rank = rankUndecided
	case class == conditions.ClassSuspended:
		out.rank = 30
	default:
		out.rank = 10
	}
	switch severity {
	case conditions.SeverityWarning:
		out.rank++
	case conditions.SeverityInfo:
		out.rank += 2
	}
	return out
}

func find(k *catalog.Kind, list []conditions.Condition, name string) int {
	at := -1
	for i := range list {
		if list[i].Type == name {
			return i
		}
		if k.Canonical(list[i].Type) == name {
			at = i
		}
	}
	return at
}
