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

// A Judge judges objects alone. What the objects below one say of it is for [relation.View.Judgement].
type Judge struct {
	Engine   *verdict.Engine
	Children pack.Children // which children count, by the catalogs of the engine
	Now      time.Time
	// Clock is the time at which objects are overdue, if it is not Now.
	Clock time.Time
}

// New returns a function that judges objects as of now, by a set of catalogs and the rule packs that are shipped.
func New(set *catalog.Set, now time.Time) func(*relation.Object) relation.Judgement {
	return Judge{Engine: pack.Default(set), Children: pack.ChildrenOf(set), Now: now}.Of
}

// Of judges one object. If its children count, it has the contradiction that they were not read.
func (d Judge) Of(o *relation.Object) relation.Judgement {
	clock := d.Clock
	if clock.IsZero() {
		clock = d.Now
	}
	j := From(d.Engine.Assess(o.Content, d.Now)).At(clock)
	if j.Counting = d.Children.Of(o.GroupVersionKind(), o.Content); j.Counting != nil && j.Verdict == verdict.Current {
		j.Contradictions = append(slices.Clip(j.Contradictions), relation.ChildrenNotRead)
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
	return relation.Judgement{Verdict: a.Status, Ready: a.Ready, Type: a.Type, Status: a.Condition, Reason: a.Reason,
		Severity: a.Severity,
		Message:  message, Since: a.Since(), Confidence: a.Confidence, Rule: a.Rule, Remedy: a.Remedy, Own: a.Own, Others: a.Others,
		Evidence: a.Evidence(), Contradictions: a.Contradictions(), NextLook: a.NextLook, Budget: a.Budget(), Due: a.Due()}
}
