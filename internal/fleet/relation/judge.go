// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"slices"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/verdict"
)

// A Judge judges objects alone. What the objects below one say of it is for [View.Judgement].
type Judge struct {
	Engine   *verdict.Engine
	Children Children // which children count, by the catalogs of the engine
	Now      time.Time
}

// JudgeBy returns a function that judges objects as of now, by the engine of a set of catalogs.
func JudgeBy(e *verdict.Engine, set *catalog.Set, now time.Time) func(*Object) Judgement {
	return Judge{Engine: e, Children: ChildrenOf(set), Now: now}.Of
}

// Of judges one object. If its children count, it has the contradiction that they were not read. An unhealthy object whose verdict has no
// time of its own is unhealthy since its condition Ready is not True.
func (d Judge) Of(o *Object) Judgement {
	j := JudgementOf(d.Engine.Judge(o.Content, d.Now)).At(d.Now)
	j.Looked = d.Now
	if j.Since.IsZero() && !j.Fine() {
		j.Since = notReadySince(o, d.Now)
	}
	if j.Counting = d.Children.Of(o.GroupVersionKind(), o.Content); j.Counting != nil && j.Verdict == verdict.Current {
		j.Contradictions = append(slices.Clip(j.Contradictions), ChildrenNotRead)
	}
	return j
}

// notReadySince returns since when condition Ready of an object is not True; zero if it is True, or has no time until now.
func notReadySince(o *Object, now time.Time) time.Time {
	for _, c := range nested.Maps(o.Content, "status", "conditions") {
		if nested.Text(c, "type") != "Ready" || nested.Text(c, "status") == "True" {
			continue
		}
		if since := parsed(nested.Text(c, "lastTransitionTime")); !since.After(now) {
			return since
		}
	}
	return time.Time{}
}

// JudgementOf returns the judgement of a verdict, in the form that trees and tables show.
func JudgementOf(a verdict.Verdict) Judgement {
	message := a.Message
	for _, o := range a.Others { // that only names another condition, as in SubnetsReady=False
		if message == o.Type+"="+string(o.Status) && o.Reason+o.Message != "" {
			message += " " + o.Reason + ": " + o.Message
		}
	}
	return Judgement{Verdict: a.Status, Ready: a.Ready, Type: a.Type, Status: a.Condition, Reason: a.Reason,
		Severity: a.Severity,
		Message:  message, Since: a.Since, Rule: a.Rule, Remedy: a.Remedy, Own: a.Own, Others: a.Others,
		Evidence: a.Evidence, Contradictions: a.Contradictions, NextLook: a.NextLook, Budget: a.Budget, Due: a.Due}
}
