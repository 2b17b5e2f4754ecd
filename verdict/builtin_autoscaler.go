// SPDX-License-Identifier: Apache-2.0

package verdict

import "encoding/json"

// The annotation in which autoscaling/v1 keeps the conditions.
const autoscalerNote = "autoscaling.alpha.kubernetes.io/conditions"

// autoscaler: one that cannot read its target or its metrics is an impairment, what it scales goes on. That it is
// limited by its bounds is no failure; that scaling is off, because the target has no replicas, is on purpose.
func (j *judge) autoscaler() {
	const rule = "builtin/HorizontalPodAutoscaler"
	if note := j.meta.get("annotations").get(autoscalerNote).str(); note != "" && j.status.get("conditions").size() == 0 {
		var conditions []any
		if json.Unmarshal([]byte(note), &conditions) == nil {
			status := j.status
			j.status = decoded(map[string]any{"conditions": conditions})
			j.scaling(rule)
			j.v.nfacts, j.v.Type, j.v.Condition, j.v.Severity = 0, "", "", "" // it is none of the list of the object
			j.status = status
			j.prove(atPath, `.metadata.annotations["`+autoscalerNote+`"]`, "", j.meta.get("annotations").get(autoscalerNote))
			return
		}
	}
	j.scaling(rule)
}

func (j *judge) scaling(rule string) {
	var able, active, limited cond
	isAble, isActive, isLimited := j.find("AbleToScale", &able), j.find("ScalingActive", &active), j.find("ScalingLimited", &limited)
	switch {
	case isAble && able.status == isFalseWord && j.words.senseOf(able.reason()) == senseBad:
		j.byCond(Degraded, rule, &able)
	case isActive && active.status == isFalseWord && active.reason() == "ScalingDisabled":
		j.byCond(Suspended, rule, &active)
	case isActive && active.status == isFalseWord:
		j.byCond(Degraded, rule, &active)
	case isAble && able.status == isTrueWord:
		j.byCond(Current, rule, &able)
	case isLimited && limited.status == isTrueWord:
		j.byCond(Current, rule, &limited)
	case isAble:
		j.byCond(InProgress, rule, &able)
	default:
		j.answer(InProgress, FromBuiltin, rule, "NotReported", text("it has not reported whether it can scale"))
		j.prove(atPath, ".status.conditions", "", j.status.get("conditions"))
	}
}
