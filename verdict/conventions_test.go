// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tristate/tristate/verdict"
	"github.com/tristate/tristate/verdict/internal/convention"
)

// decision is an object of an unknown kind, with the verdict on it and the rule that has to decide.
type decision struct {
	object string // its members except apiVersion, as YAML in flow style; without a kind it is a lamp
	want   verdict.Status
	rule   string
}

// sentences are sentences of docs/verdict-rules.md, with objects to which each applies.
var sentences = map[string][]decision{
	"A user has switched it off, so no controller works on it, and the status may be out of date.": {
		{`spec: {suspend: true}`, verdict.Suspended, "spec/suspended"},
		{`{metadata: {generation: 2}, spec: {paused: true}, status: {observedGeneration: 1}}`, verdict.Suspended, "spec/suspended"},
	},
	"An object with a spec should have a status; without one no controller has looked at it.": {
		{`spec: {suspend: false}`, verdict.InProgress, "no-status/none"},
	},
	"Users take an object away from its controller with an annotation.": {
		{`{metadata: {annotations: {example.org/paused: "true"}}, spec: {}}`, verdict.Suspended, "annotation/paused"},
	},
	"The end of the work may be a success or a failure; the reason shows which.": {
		{`status: {conditions: [{type: Finished, status: "True", reason: Failed}]}`, verdict.Failed, "condition/ended-badly"},
		{`status: {conditions: [{type: Finished, status: "True", reason: Succeeded}]}`, verdict.Current, "condition/summary-true"},
	},
	"A Failed without a status is there because something failed.": {
		{`status: {conditions: [{type: Failed, message: x}]}`, verdict.Failed, "condition/without-status"},
	},
	"Its author has not come to a conclusion yet.": {
		{`status: {conditions: [{type: Ready, message: x}]}`, verdict.InProgress, "condition/summary-unknown"},
	},
	"Fields with such names are filled when something failed, and emptied afterwards.": {
		{`status: {phase: Ready, errorMessage: no disk}`, verdict.Failed, "field/error"},
		{`status: {phase: Ready, errorMessage: ""}`, verdict.Current, "state/well"},
	},
	"The state is not in the lexicon; any other evidence outweighs it.": {
		{`status: {phase: Purple}`, verdict.Unknown, "state/strange"},
		{`status: {phase: Purple, conditions: [{type: Ready, status: "True"}]}`, verdict.Current, "condition/summary-true"},
		{`status: {phase: Purple, lastRun: {state: Failed}}`, verdict.Failed, "last-run/broken"},
	},
	"A capability that is switched off is off, and so is an object that has nothing else.": {
		{`status: {conditions: [{type: Encrypted, status: "False", reason: EncryptionDisabled}, {type: NodesAvailable, status: "True"}]}`,
			verdict.Current, "condition/true"},
		{`status: {conditions: [{type: Encrypted, status: "False", reason: EncryptionDisabled}]}`, verdict.Suspended, "condition/not-used"},
	},
	"A component that reports an activity is not done, even if a summary is True.": {
		{`status: {conditions: [{type: Ready, status: "True"}, {type: Quiesced, status: "False", reason: StillReconciling}]}`,
			verdict.InProgress, "condition/waits"},
	},
	"As for a summary; but a summary that is True outweighs it, and a doubt stays.": {
		{`status: {conditions: [{type: BalancerReady, status: "False", reason: Moonshine}]}`, verdict.Failed, "condition/unexplained"},
		{`status: {conditions: [{type: Ready, status: "True"}, {type: BalancerReady, status: "False", reason: Moonshine}]}`,
			verdict.Current, "condition/summary-true"},
	},
	"a condition of positive type that is False, with a reason or a message of something that is under way or not there yet, or that only " +
		"repeats the status.": {
		{`status: {conditions: [{type: BalancerReady, status: "False", reason: NotReady}]}`, verdict.InProgress, "condition/unready"},
		{`status: {conditions: [{type: BalancerReady, status: "False", reason: EndpointPublishingStrategyExcludesBalancer}]}`,
			verdict.InProgress, "condition/unready"},
	},
	"False alone is no failure; and a capability that is not used is False and harmless, so a summary that is True outweighs it.": {
		{`status: {conditions: [{type: BalancerReady, status: "False"}]}`, verdict.InProgress, "condition/plain"},
		{`status: {conditions: [{type: Ready, status: "True"}, {type: BalancerReady, status: "False"}]}`,
			verdict.Current, "condition/summary-true"},
		{`status: {conditions: [{type: Ready, status: "True"}, {type: BalancerReady, status: "False", ` +
			`reason: EndpointPublishingStrategyExcludesBalancer}]}`, verdict.Current, "condition/summary-true"},
	},
	"As for a summary; but a summary that is True knows better.": {
		{`status: {conditions: [{type: AgentReady, status: Unknown, message: the agent stopped posting}]}`, verdict.Failed, "condition/silent"},
		{`status: {conditions: [{type: Ready, status: "True"}, {type: AgentReady, status: Unknown, message: the agent stopped posting}]}`,
			verdict.Current, "condition/summary-true"},
	},
	"It is not under way any more because it failed.": {
		{`status: {conditions: [{type: Ready, status: "True"}, {type: Archiving, status: "False", reason: ArchivingFailing}]}`,
			verdict.Degraded, "condition/activity-failed"},
		{`status: {conditions: [{type: Ready, status: "True"}, {type: Archiving, status: "False", reason: NothingToArchive}]}`,
			verdict.Current, "condition/summary-true"},
	},
	"Partly good is worse than good and better than broken; whatever is worse decides.": {
		{`status: {state: ONLINE_PARTIAL}`, verdict.Degraded, "state/impaired"},
		{`status: {health: degraded}`, verdict.Degraded, "state/impaired"},
		{`status: {health: HEALTH_WARN}`, verdict.Degraded, "state/impaired"},
		{`status: {state: PartiallyFailed}`, verdict.Failed, "state/broken"},
	},
	"Operators without conditions report the state of the object in one word.": {
		{`status: {state: rules not correctly applied}`, verdict.Failed, "state/broken"},
		{`status: {health: broken}`, verdict.Failed, "state/broken"},
		{`status: {stage: error}`, verdict.Failed, "state/broken"},
		{`status: {phase: FailedOver}`, verdict.Current, "state/well"},
	},
	"Creating, Pending, IN_PROGRESS; of a task also Running.": {
		{`status: {phase: Failing over}`, verdict.InProgress, "state/busy"},
	},
	"A failure of an object that still serves (a summary condition is True) is Degraded rather than Failed.": {
		{`status: {conditions: [{type: Ready, status: "True"}, {type: Failed, status: "True"}]}`, verdict.Degraded, "condition/negative"},
		{`status: {conditions: [{type: Ready, status: "False"}, {type: Failed, status: "True"}]}`, verdict.Failed, "condition/negative"},
	},
	"Degraded, Failed, Stalled, MemoryPressure: the type itself speaks of the failure.": {
		{`status: {conditions: [{type: WebhookDegraded, status: "True", reason: SyncError}, {type: WebhookAvailable, status: "True"}]}`,
			verdict.Degraded, "condition/negative"},
		{`status: {conditions: [{type: WebhookDegraded, status: "True", reason: SyncError}, {type: WebhookAvailable, status: "Unknown"}]}`,
			verdict.Failed, "condition/negative"},
	},
	"A component that is missing or not ready while another one is being created makes the object InProgress rather than Failed": {
		{`status: {conditions: [{type: Available, status: "False", reason: PartsUnavailable}, {type: Progressing, status: "True"}]}`,
			verdict.InProgress, "condition/summary-broken"},
		{`status: {conditions: [{type: Available, status: "False", reason: PartsUnavailable}, {type: Progressing, status: "True"}, ` +
			`{type: Degraded, status: "True", reason: SyncError}]}`, verdict.Failed, "condition/summary-broken"},
	},
	"Says InProgress, unless the work is over, in the tier condition-busy. Reconciling, Updating, ScalingUp: a controller is working on it.": {
		{`status: {conditions: [{type: Progressing, status: "True", reason: NewResourceCreated}]}`, verdict.InProgress, "condition/activity"},
		{`status: {conditions: [{type: Complete, status: "True"}, {type: Progressing, status: "True", reason: NewResourceCreated}]}`,
			verdict.Current, "condition/summary-true"},
	},
	"A component failed.": {
		{`status: {conditions: [{type: LastAsyncOperation, status: "False", reason: AsyncCreateFailure}, {type: Ready, status: "False", ` +
			`reason: Creating}]}`, verdict.Failed, "condition/broken"},
	},
	"Workloads report how many replicas are ready, available and up to date, and the spec has the wanted number.": {
		{`{spec: {replicas: 3}, status: {replicas: 3, readyReplicas: 2}}`, verdict.InProgress, "count/replicas-short"},
		{`{spec: {replicas: 3}, status: {replicas: 3, unavailableReplicas: 3}}`, verdict.InProgress, "count/replicas-short"},
		{`{spec: {instances: 3}, status: {readyInstances: 1}}`, verdict.InProgress, "count/replicas-short"},
		{`status: {expectedNodes: 3, availableNodes: 2}`, verdict.InProgress, "count/replicas-short"},
		{`status: {desiredNumberScheduled: 3, numberAvailable: 2}`, verdict.InProgress, "count/replicas-short"},
		{`status: {desiredNumberScheduled: 3, numberReady: 3, updatedNumberScheduled: 1}`, verdict.InProgress, "count/replicas-short"},
		{`status: {sets: [{replicas: 2, readyReplicas: 2}, {replicas: 2, readyReplicas: 1}], conditions: [{type: ProxyAvailable, status: "True"}]}`,
			verdict.InProgress, "count/replicas-short"},
	},
	"As many as the spec asks for are there.": {
		{`{spec: {replicas: 3}, status: {replicas: 3, readyReplicas: 3}}`, verdict.Current, "count/replicas"},
		{`{spec: {instances: 3}, status: {readyInstances: 3}}`, verdict.Current, "count/replicas"},
		{`{spec: {replicas: 3, instances: 1}, status: {readyReplicas: 3, readyInstances: 1}}`, verdict.Current, "count/replicas"},
		// Those that a person or a partition holds back are not asked for.
		{`{spec: {updateStrategy: {type: OnDelete}}, status: {desiredNumberScheduled: 3, numberReady: 3, updatedNumberScheduled: 1}}`,
			verdict.Current, "count/replicas"},
		{`{spec: {replicas: 3, updateStrategy: {partition: 2}}, status: {readyReplicas: 3, updatedReplicas: 1}}`,
			verdict.Current, "count/replicas"},
	},
}

// TestConventions: each sentence holds.
func TestConventions(t *testing.T) { holds(t, sentences) }

// holds fails where the document does not have a sentence, or an object to which it applies is judged otherwise.
func holds(t *testing.T, sentences map[string][]decision) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "verdict-rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	document := strings.Join(strings.Fields(string(text)), " ")
	e := new(verdict.Engine)
	for sentence, decisions := range sentences {
		t.Run(sentence, func(t *testing.T) {
			if !strings.Contains(document, sentence) {
				t.Error("docs/verdict-rules.md has no such sentence")
			}
			for _, d := range decisions {
				v := e.Judge(example(t, convention.Example{Object: d.object}), now)
				if v.Status != d.want || v.Rule != d.rule {
					t.Errorf("%s: want %s by %s, got %s by %s: %s", d.object, d.want, d.rule, v.Status, v.Rule, v.Message)
				}
			}
		})
	}
}
