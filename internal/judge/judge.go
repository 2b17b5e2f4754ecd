// SPDX-License-Identifier: Apache-2.0

// Package judge puts the assessment of an object by the engine into the form that trees and tables show.
package judge

import (
	"time"

	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/pack"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/verdict"
)

// New returns a function that judges objects as of now, by a set of catalogs and the rule packs that are shipped.
func New(set *catalog.Set, now time.Time) func(*relation.Object) relation.Judgement {
	engine := pack.Default(set)
	return func(o *relation.Object) relation.Judgement { return Of(engine, o, now) }
}

// Of judges one object with an engine.
func Of(engine *verdict.Engine, o *relation.Object, now time.Time) relation.Judgement {
	return From(engine.Assess(o.Content, now))
}

// From is the judgement that an assessment makes.
func From(a verdict.Assessment) relation.Judgement {
	return relation.Judgement{Verdict: string(a.Status), Ready: a.Ready, Type: a.Type, Status: a.Condition, Reason: a.Reason, Severity: a.Severity,
		Message: a.Message(), Since: a.Since(), Confidence: string(a.Confidence), Rule: a.Rule, Remedy: a.Remedy, Own: a.Own, Others: a.Others,
		Evidence: a.Evidence(), Doubts: a.Contradictions(), NextLook: a.NextLook}
}
