// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"slices"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// steady answers for an object with a summary that is True, other conditions that are healthy, and nothing else in its status: most
// objects, most of the time. The answer is that of the rules, which are asked if it reports false; no claim is made, and each field is read
// once.
func (c *Conventions) steady(j *answer.Judgement) bool {
	status := j.Status.Map()
	list, _ := status["conditions"].([]any)
	if len(list) == 0 || c.Trace != nil || c.Without != nil || lexicon.RunsToCompletion(j.Kind) || mayBeHeld(&j.Subject) {
		return false
	}
	known := 1
	if v, ok := status["observedGeneration"]; ok {
		if seen, ok := v.(int64); !ok || seen != j.Generation {
			return false
		}
		known++
	}
	if len(status) > known {
		return false
	}
	var best map[string]any
	name, serving := "", false
	types, generation := j.Types, j.Generation
	for _, item := range list {
		m, _ := item.(map[string]any)
		typ, _ := m["type"].(string)
		if typ == "" {
			return false
		}
		info := types.About(typ)
		is, _ := m["status"].(string)
		if reason, _ := m["reason"].(string); !asIs(j.Words, typ, reason) {
			return false
		}
		if status := conditions.Status(is); !info.Quiet(status) && !idle(j.Words, info, status, m) {
			return false
		}
		if v := m["observedGeneration"]; v != nil {
			if seen, ok := v.(int64); !ok || seen != generation {
				return false
			}
		}
		if !info.Summary() {
			continue
		}
		serving = serving || info.Serving()
		switch {
		case best == nil, typ < name:
			best, name = m, typ
		case typ == name:
			return false
		}
	}
	if best == nil || name == "Synced" { // of Crossplane, unless there is a Ready
		return false
	}
	well(&j.Answer, name, best, serving)
	return true
}

// idle reports whether a condition is about an activity that is not under way, and did not fail.
func idle(words *lexicon.Lexicon, info lexicon.TypeInfo, status conditions.Status, c map[string]any) bool {
	if info.Aspect != lexicon.AspectActivity || status != conditions.False {
		return false
	}
	reason, _ := c["reason"].(string)
	return words.MeaningOf(reason) != lexicon.Broken && !words.Asks(reason)
}

// well answers with a summary that is True.
func well(v *answer.Answer, typ string, c map[string]any, serving bool) {
	v.Status, v.Ready = answer.Current, true
	v.Rule, v.Convention = trueSummary.ID, trueSummary.number
	v.Type, v.Condition = typ, conditions.True
	since, _ := c["lastTransitionTime"].(string)
	v.Since = object.TimeOf(since)
	if serving {
		v.SetAside = 1 << unlessSummary
	}
	if v.Message, _ = c["message"].(string); v.Message == "" {
		v.Message = object.ConditionIs.Of(typ, string(conditions.True)).String()
	}
	v.ProveAt(object.PathCondition, typ, "status", trueValue)
	reason := c["reason"]
	switch v.Reason, _ = reason.(string); v.Reason {
	case "":
		v.Reason = typ
	case typ:
	default:
		v.ProveAt(object.PathCondition, typ, "reason", object.Of(reason))
	}
	if severity, _ := c["severity"].(string); severity != "" {
		v.Severity = conditions.Severity(severity)
	}
}

// trueValue is the status of a healthy condition, as evidence.
var trueValue = object.Of(string(conditions.True))

// mayBeHeld reports whether the object has an annotation, or a field of the spec, that may switch it off.
func mayBeHeld(s *answer.Subject) bool {
	for key := range s.Meta.Get("annotations").Fields() {
		if pausing(key) {
			return true
		}
	}
	spec := s.Spec.Map()
	if len(spec) > len(offKeys) {
		for _, key := range offKeys {
			if _, ok := spec[key]; ok {
				return true
			}
		}
		return false
	}
	for key := range spec {
		if len(key) >= 5 && len(key) <= 15 && slices.Contains(offKeys[:], key) {
			return true
		}
	}
	return false
}
