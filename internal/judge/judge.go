// SPDX-License-Identifier: Apache-2.0

// Package judge joins what the others know into the judgement of an object that trees and tables show: the verdict of the engine,
// and the condition that explains it.
package judge

import (
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/pack"
	"github.com/tristate/tristate/relation"
	"github.com/tristate/tristate/verdict"
)

// Engine gives an engine that knows the kinds of a set of catalogs and those of the rule packs that are shipped.
func Engine(set *catalog.Set) *verdict.Engine {
	packs, _ := pack.Shipped() // what is wrong with a pack its tests say; the others are in the set
	return pack.Engine(set, packs)
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
		Confidence: string(v.Confidence), Rule: v.Rule}
	for _, e := range v.Evidence() {
		j.Evidence = append(j.Evidence, relation.Evidence{Path: e.Path, Value: e.Value})
	}
	k := set.Kind(o.GroupKind)
	if k == nil || len(k.Declaration.Types) == 0 || engine.Mode == verdict.EngineKstatus {
		return j
	}
	list, _ := conditions.FromUnstructured(k.List(o.Content))
	explain(k, list, &j)
	return j
}

// explain names the dependent condition that is worst where the object is not fine: by severity, then by declared order.
func explain(k *catalog.Kind, list []conditions.Condition, j *relation.Judgement) {
	summary := k.Summary()
	if i := find(k, list, summary); i >= 0 && j.Since.IsZero() {
		j.Since = list[i].LastTransitionTime.Time
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
		i := find(k, list, declared.Name)
		if i < 0 || good(declared.Polarity, list[i].Status) {
			continue
		}
		severity := list[i].Severity
		reason := k.Reason(declared.Name, list[i].Reason, list[i].Status)
		if severity == "" && reason != nil {
			severity = reason.Severity
		}
		rank := rankOf(severity, list[i].Status)
		if best >= 0 && rank >= best {
			continue
		}
		best = rank
		j.Type, j.Status, j.Reason, j.Severity, j.Message, j.Remedy = declared.Name, list[i].Status, list[i].Reason, severity, list[i].Message, ""
		j.Own = len(k.Derivations) > 0 && !k.Derives(declared.Name)
		if reason != nil {
			j.Reason, j.Remedy = reason.Name, reason.Remedy
		}
		if !list[i].LastTransitionTime.IsZero() {
			j.Since = list[i].LastTransitionTime.Time
		}
	}
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
