// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"encoding/json"

	"github.com/tristate/tristate/verdict/internal/lexicon"

	"github.com/tristate/tristate/conditions"
)

// The annotation in which autoscaling/v1 keeps the conditions.
const autoscalerNote = "autoscaling.alpha.kubernetes.io/conditions"

// autoscaler judges a HorizontalPodAutoscaler. One that cannot read its target or its metrics is impaired: its target goes on. Its bounds
// are no failure, and scaling that is off because the target has no replicas is off on purpose.
func (j *judgement) autoscaler() {
	j.v.Rule = "builtin/HorizontalPodAutoscaler"
	note := j.meta.get("annotations").get(autoscalerNote)
	var list []any
	if note.Text() == "" || j.status.get("conditions").size() > 0 || json.Unmarshal([]byte(note.Text()), &list) != nil {
		j.scaling()
		return
	}
	status := j.status
	j.status = Object{map[string]any{"conditions": list}}
	j.scaling()
	j.v.nfacts, j.v.Type, j.v.Condition, j.v.Severity = 0, "", "", "" // the list of the object does not have it
	j.status = status
	j.v.prove(fact{atPath, `.metadata.annotations["` + autoscalerNote + `"]`, "", note})
}

func (j *judgement) scaling() {
	var is [3]Condition
	j.findAll(is[:], "AbleToScale", "ScalingActive", "ScalingLimited")
	able, active, limited := &is[0], &is[1], &is[2]
	switch {
	case able.Status == conditions.False && j.words.MeaningOf(able.Reason()) == lexicon.Broken:
		j.concludeBy(Degraded, able)
	case active.Status == conditions.False && active.Reason() == "ScalingDisabled":
		j.concludeBy(Suspended, active)
	case active.Status == conditions.False:
		j.concludeBy(Degraded, active)
	case able.Status == conditions.True:
		j.concludeBy(Current, able)
	case limited.Status == conditions.True:
		j.concludeBy(Current, limited)
	case able.Type != "":
		j.concludeBy(InProgress, able)
	default:
		j.conclude(InProgress, "NotReported", text("it has not reported whether it can scale"), "conditions")
	}
}
