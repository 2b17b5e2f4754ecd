// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"encoding/json"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// The annotation in which autoscaling/v1 keeps the conditions.
const autoscalerNote = "autoscaling.alpha.kubernetes.io/conditions"

// autoscaler judges a HorizontalPodAutoscaler. One that cannot read its target or its metrics is impaired: its target goes on. Its bounds
// are no failure, and scaling that is off because the target has no replicas is off on purpose.
func (j *Kinds) autoscaler() {
	j.Answer.Rule = "builtin/HorizontalPodAutoscaler"
	note := j.Meta.Get("annotations").Get(autoscalerNote)
	var list []any
	if note.Text() == "" || j.Status.Get("conditions").Size() > 0 || json.Unmarshal([]byte(note.Text()), &list) != nil {
		j.scaling()
		return
	}
	status := j.Status
	j.Status = object.Of(map[string]any{"conditions": list})
	j.scaling()
	j.Answer.Evidence = nil // the list of the object does not have it
	j.Answer.Type, j.Answer.Condition, j.Answer.Severity = "", "", ""
	j.Status = status
	j.Answer.Prove(object.At(object.PathItself, `.metadata.annotations["`+autoscalerNote+`"]`, "", note))
}

func (j *Kinds) scaling() {
	var is [3]object.Condition
	j.FindAll(is[:], "AbleToScale", "ScalingActive", "ScalingLimited")
	able, active, limited := &is[0], &is[1], &is[2]
	switch {
	case able.Status == conditions.False && j.Words.MeaningOf(able.Reason()) == lexicon.Broken:
		j.concludeBy(answer.Degraded, able)
	case active.Status == conditions.False && active.Reason() == "ScalingDisabled":
		j.concludeBy(answer.Suspended, active)
	case active.Status == conditions.False:
		j.concludeBy(answer.Degraded, active)
	case able.Status == conditions.True:
		j.concludeBy(answer.Current, able)
	case limited.Status == conditions.True:
		j.concludeBy(answer.Current, limited)
	case able.Type != "":
		j.concludeBy(answer.InProgress, able)
	default:
		j.conclude(answer.InProgress, "NotReported", object.Text("it has not reported whether it can scale"), "conditions")
	}
}
