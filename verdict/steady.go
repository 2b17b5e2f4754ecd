// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/lexicon"
)

// steady answers for an object with a summary that is True, other conditions that are healthy, and nothing else in its status: most
// objects, most of the time. The answer is that of the rules, which are asked if it reports false; no claim is made, and each field is read
// once.
func (j *judgement) steady() bool {
	status, _ := j.status.v.(map[string]any)
	list, _ := status["conditions"].([]any)
	if len(list) == 0 || j.e.trace != nil || j.e.without != nil || runsToCompletion(j.kind) || j.mayBeHeld() {
		return false
	}
	known := 1
	if v, ok := status["observedGeneration"]; ok {
		if seen, ok := v.(int64); !ok || seen != j.generation {
			return false
		}
		known++
	}
	if len(status) > known {
		return false
	}
	var best map[string]any
	name, serving := "", false
	types, generation := j.types, j.generation
	for _, item := range list {
		m, _ := item.(map[string]any)
		typ, _ := m["type"].(string)
		if typ == "" {
			return false
		}
		info := types.About(typ)
		is, _ := m["status"].(string)
		if reason, _ := m["reason"].(string); lexicon.Partly(reason) {
			return false
		}
		if status := conditions.Status(is); !info.Quiet(status) && !j.idle(info, status, m) {
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
	if best == nil {
		return false
	}
	j.well(name, best, serving)
	return true
}

// idle reports whether a condition is about an activity that is not under way, and did not fail.
func (j *judgement) idle(info lexicon.TypeInfo, status conditions.Status, c map[string]any) bool {
	if info.Aspect != lexicon.AspectActivity || status != conditions.False {
		return false
	}
	reason, _ := c["reason"].(string)
	return j.words.MeaningOf(reason) != lexicon.Broken && !j.words.Asks(reason)
}

// well answers with a summary that is True.
func (j *judgement) well(typ string, c map[string]any, serving bool) {
	v := &j.v
	v.Status, v.Ready, v.Confidence, v.Rule, v.rule = Current, true, trueSummary.confidence, trueSummary.ID, trueSummary
	v.Type, v.Condition = typ, conditions.True
	v.since, _ = c["lastTransitionTime"].(string)
	if serving {
		v.setAside = 1 << unlessSummary
	}
	if v.message.s1, _ = c["message"].(string); v.message.s1 == "" {
		v.message = message{format: conditionIs, s1: typ, s2: string(conditions.True)}
	}
	f := &v.facts[0]
	f.at, f.a, f.b, f.n = atCondition, typ, "status", trueValue // a composite literal would be built elsewhere and copied
	v.nfacts = 1
	reason := c["reason"]
	switch v.Reason, _ = reason.(string); v.Reason {
	case "":
		v.Reason = typ
	case typ:
	default:
		f = &v.facts[1]
		f.at, f.a, f.b, f.n = atCondition, typ, "reason", Object{reason}
		v.nfacts = 2
	}
	if severity, _ := c["severity"].(string); severity != "" {
		v.Severity = conditions.Severity(severity)
	}
}

// trueValue is the status of a healthy condition, as evidence.
var trueValue = Object{string(conditions.True)}

// mayBeHeld reports whether the object has an annotation, or a field of the spec, that may switch it off.
func (j *judgement) mayBeHeld() bool {
	if notes := j.meta.get("annotations"); notes.size() > 0 {
		held := false
		notes.fields(func(key string, _ Object) bool {
			held = pausing(key)
			return !held
		})
		if held {
			return true
		}
	}
	spec, _ := j.spec.v.(map[string]any)
	if len(spec) > len(offKeys) {
		for _, key := range offKeys {
			if _, ok := spec[key]; ok {
				return true
			}
		}
		return false
	}
	for key := range spec {
		if offKey(key) {
			return true
		}
	}
	return false
}

// offKey reports whether a field is one of [offKeys].
func offKey(key string) bool {
	if len(key) < 5 || len(key) > 15 {
		return false
	}
	for _, k := range offKeys {
		if k == key {
			return true
		}
	}
	return false
}
