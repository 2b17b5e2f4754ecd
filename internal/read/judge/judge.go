// SPDX-License-Identifier: Apache-2.0

// Package judge puts the assessment of an object by the engine into the form that trees and tables show.
package judge

import (
	"slices"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/read/pack"
	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/verdict"
)

// New returns a function that judges objects as of now, by a set of catalogs and the rule packs that are shipped.
func New(set *catalog.Set, now time.Time) func(*relation.Object) relation.Judgement {
	engine, children := pack.Default(set), pack.ChildrenOf(set)
	return func(o *relation.Object) relation.Judgement { return Of(engine, children, o, now) }
}

// Of judges one object alone, with an engine. If its children count, it has the doubt that they were not read; [relation.View.Judgement]
// looks at them.
func Of(engine *verdict.Engine, children pack.Children, o *relation.Object, now time.Time) relation.Judgement {
	j := From(engine.Assess(o.Content, now)).At(now)
	if engine.Mode != verdict.EngineTristate {
		return j
	}
	if j.Counting = children.Of(o.GroupVersionKind(), o.Content); j.Counting != nil && j.Verdict == string(verdict.Current) {
		j.Doubts = append(slices.Clip(j.Doubts), relation.ChildrenNotRead)
	}
	return j
}

// From returns the judgement of an assessment.
func From(a verdict.Assessment) relation.Judgement {
	message := a.Message()
	for _, o := range a.Others { // that only names another condition, as in SubnetsReady=False
		if message == o.Type+"="+string(o.Status) && o.Reason+o.Message != "" {
			message += " " + o.Reason + ": " + o.Message
		}
	}
	return relation.Judgement{Verdict: string(a.Status), Ready: a.Ready, Type: a.Type, Status: a.Condition, Reason: a.Reason,
		Severity: a.Severity,
		Message:  message, Since: a.Since(), Confidence: string(a.Confidence), Rule: a.Rule, Remedy: a.Remedy, Own: a.Own, Others: a.Others,
		Evidence: a.Evidence(), Doubts: a.Contradictions(), NextLook: a.NextLook, Budget: a.Budget(), Due: a.Due()}
}
