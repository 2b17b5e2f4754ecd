// SPDX-License-Identifier: Apache-2.0

// Package judge joins what the others know into the judgement of an object that trees and tables show: the verdict of the engine,
// and the condition that explains it.
package judge

import (
	"cmp"
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

// explain names the dependent condition that is worst where the object is not fine: by severity, then by declared order, then by the key
// of its list.
func explain(k *catalog.Kind, lists []named, j *relation.Judgement) {
	for _, l := range lists {
		if i := find(k, l.list, k.Summary()); i >= 0 && j.Since.IsZero() {
			j.Since = l.list[i].LastTransitionTime.Time
		}
	}
	if j.Verdict == string(verdict.Current) || j.Verdict == string(verdict.Suspended) {
		return
	}
	best := -1
	for t := range k.Declaration.Types {
		declared := &k.Declaration.Types[t]
		if declared.Role != conditions.RoleDependent {
			continue
		}
		for _, l := range lists {
			if i := find(k, l.list, declared.Name); i >= 0 && !good(declared.Polarity, l.list[i].Status) {
				best = worse(k, declared, &l.list[i], l.key, best, j)
			}
		}
	}
}

// worse lets a condition explain the judgement if it ranks before the one that does so far, and gives the rank of the one that then does.
func worse(k *catalog.Kind, declared *conditions.Type, c *conditions.Condition, key string, best int, j *relation.Judgement) int {
	severity := c.Severity
	reason := k.Reason(declared.Name, c.Reason, c.Status)
	if severity == "" && reason != nil {
		severity = reason.Severity
	}
	rank := rankOf(severity, c.Status)
	if best >= 0 && rank >= best {
		return best
	}
	j.Type, j.Status, j.Reason, j.Severity, j.Message, j.Remedy = declared.Name, c.Status, c.Reason, severity, c.Message, ""
	if key != "" {
		j.Message = strings.TrimSuffix(key+": "+c.Message, ": ")
	}
	j.Own = len(k.Derivations) > 0 && !k.Derives(declared.Name)
	if reason != nil {
		j.Reason, j.Remedy = reason.Name, reason.Remedy
	}
	if !c.LastTransitionTime.IsZero() {
		j.Since = c.LastTransitionTime.Time
	}
	return rank
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

func good(p conditions.Polarity, s conditions.Status) bool {
	return p == conditions.Negative && s == conditions.False || p == conditions.Positive && s == conditions.True || p == conditions.Neutral
}

func rankOf(s conditions.Severity, status conditions.Status) int {
	switch {
	case status == conditions.Unknown:
		return 3
	case s == conditions.SeverityWarning:
		return 1
	case s == conditions.SeverityInfo:
		return 2
	}
	return 0
}
