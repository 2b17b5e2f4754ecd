// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"

	"github.com/tristate/tristate/verdict"
)

// aboutFields are sentences of docs/verdict-rules.md about the names of fields and the words in them, which have a meaning for any kind.
var aboutFields = map[string][]decision{
	"a field of the spec that switches the object off: suspend, paused, stopped, disabled, enabled: false, managementState: Removed.": {
		{`{spec: {disabled: true}, status: {phase: Failed}}`, verdict.Suspended, "spec/suspended"},
		{`{spec: {enabled: false}, status: {conditions: [{type: Ready, status: "True"}]}}`, verdict.Suspended, "spec/suspended"},
		{`{spec: {enabled: true}, status: {conditions: [{type: Ready, status: "True"}]}}`, verdict.Current, "condition/summary-true"},
		{`{spec: {managementState: Removed}, status: {conditions: [{type: Ready, status: "True"}]}}`, verdict.Suspended, "spec/suspended"},
		{`{spec: {managementState: Managed}, status: {conditions: [{type: Ready, status: "True"}]}}`, verdict.Current, "condition/summary-true"},
	},
	"an annotation whose name ends in paused, suspended, stopped or pause-reconciliation, and is not false.": {
		{`{metadata: {annotations: {lamp-resource-stopped: "2026-01-01T00:00:00Z"}}, spec: {}}`, verdict.Suspended, "annotation/paused"},
		{`{metadata: {annotations: {stop: slowly}}, spec: {}, status: {conditions: [{type: Ready, status: "True"}]}}`, verdict.Current, "condition/summary-true"},
	},
	"a number named after an observed, seen or evaluated generation, that is lower than metadata.generation.": {
		{`{metadata: {generation: 3}, status: {switchObservedGeneration: 2, conditions: [{type: Ready, status: "True"}]}}`, verdict.InProgress, "field/generation"},
		{`{metadata: {generation: 3}, status: {observed_generation: 2, phase: Ready}}`, verdict.InProgress, "field/generation"},
	},
	"a number named after an applied, reconciled, processed, synced or last generation, that is lower than metadata.generation.": {
		{`{metadata: {generation: 3}, status: {lastGeneration: 2, conditions: [{type: Ready, status: "True"}]}}`, verdict.InProgress, "field/applied-generation"},
		{`{metadata: {generation: 3}, status: {lastGeneration: 7, conditions: [{type: Ready, status: "True"}]}}`, verdict.Current, "condition/summary-true"},
	},
	"The spec was not applied yet; an error may have the cause.": {
		{`{metadata: {generation: 3}, status: {lastGeneration: 2, error: no bulb}}`, verdict.Failed, "field/error"},
	},
	"a boolean that is true on a healthy object, and is false.": {
		{`status: {applied: false}`, verdict.InProgress, "flag/waits"},
		{`status: {available: "False"}`, verdict.InProgress, "flag/waits"},
		{`status: {successful: false}`, verdict.InProgress, "flag/waits"},
	},
	"a boolean that is true on a healthy object, and is true.": {
		{`status: {available: "True"}`, verdict.Current, "flag/true"},
	},
	"a boolean that is true on a healthy object, and is false: one about acceptance, one about the result of a finished run, or one next to words of failure.": {
		{`status: {applied: false, message: "ERROR: no bulb"}`, verdict.Failed, "flag/failed"},
		{`status: {applied: false, message: "while creating a bulb: ERROR: no such socket"}`, verdict.Failed, "flag/failed"},
		{`status: {finished: true, successful: false}`, verdict.Failed, "flag/failed"},
	},
	"As for one of the object; but a summary that is True outweighs it.": {
		{`status: {bulbReady: false}`, verdict.InProgress, "flag/light-waits"},
		{`status: {bulbReady: false, conditions: [{type: Ready, status: "True"}]}`, verdict.Current, "condition/summary-true"},
		{`status: {published: false}`, verdict.InProgress, "flag/light-waits"},
		{`status: {published: false, conditions: [{type: Ready, status: "True"}]}`, verdict.Current, "condition/summary-true"},
		{`status: {wire: {ready: false, message: failed to connect}}`, verdict.Failed, "flag/light-failed"},
		{`status: {validation: {valid: false}}`, verdict.Failed, "flag/light-failed"},
		{`status: {cells: {a: {gatewayAvailable: "False"}}}`, verdict.InProgress, "flag/light-waits"},
		{`status: {bulbs: [{ready: true}, {ready: false}]}`, verdict.InProgress, "flag/light-waits"},
		{`status: {bulbs: [{ready: false}], conditions: [{type: Ready, status: "True"}]}`, verdict.Current, "condition/summary-true"},
	},
	"updating, isDeleting: a controller is working on it.": {
		{`status: {phase: Ready, isRollingUpdate: true}`, verdict.InProgress, "flag/busy"},
		{`status: {phase: Ready, updating: false}`, verdict.Current, "state/well"},
	},
	"The names of the numbers show the pairs; a summary outweighs them, and in a task, which ends, they mean nothing.": {
		{`status: {bulbs: 3, readyBulbs: 1}`, verdict.InProgress, "count/short"},
		{`status: {bulbs: 3, readyBulbs: 3}`, verdict.Current, "no-status/nothing-known"},
		{`status: {rooms: {hall: {desiredBulbs: 2, readyBulbs: 1}}}`, verdict.InProgress, "count/short"},
		{`status: {loader: {desiredNumber: 3, availableNumber: 1}}`, verdict.InProgress, "count/short"},
	},
	"What is not available may be in use.": {
		{`status: {addresses: 8, availableAddresses: 2}`, verdict.Current, "no-status/nothing-known"},
		{`status: {desiredAddresses: 8, availableAddresses: 2}`, verdict.InProgress, "count/short"},
	},
	"podsUnhealthy: 2 is unhealthy, and the others may be healthy.": {
		{`status: {bulbsHealthy: 2, bulbsUnhealthy: 1}`, verdict.Degraded, "count/unwell"},
		{`status: {numberNotEstablished: 1}`, verdict.Degraded, "count/unwell"},
		{`status: {bulbsUnhealthy: 0}`, verdict.Current, "no-status/nothing-known"},
	},
	"the usual numbers of replicas, nodes, instances or members, that are lower than wanted.": {
		{`{spec: {instances: 3}, status: {instances: 1}}`, verdict.InProgress, "count/replicas-short"},
		{`status: {instances: 3}`, verdict.Current, "no-status/nothing-known"},
		{`{spec: {replicas: 2}, status: {replicas: 2, fullyLabeledReplicas: 2}}`, verdict.InProgress, "count/replicas-short"},
		{`status: {expectedNodes: 2}`, verdict.InProgress, "count/replicas-short"},
	},
	"a state, or the result of a run, in a word of failure.": {
		{`status: {trial: {phase: Completed, verdict: Fail}}`, verdict.Failed, "state/broken"},
		{`status: {result: "42"}`, verdict.Current, "no-status/nothing-known"},
		{`status: {scanResult: 0 errors}`, verdict.Current, "no-status/nothing-known"},
		{`{kind: LampTest, status: {completionTime: "2026-01-01T00:00:01Z", result: Failed}}`, verdict.Failed, "state/broken"},
		{`status: {bulb_state: Faulted}`, verdict.Failed, "state/broken"},
		{`status: {bulbStatus: {a: Lit, b: Failed}}`, verdict.Failed, "state/broken"},
		{`status: {conditions: [{state: failed}, {state: done}]}`, verdict.Failed, "state/broken"},
		{`{kind: LampState, state: failed}`, verdict.Failed, "state/broken"},
		{`status: {bulbStatus: {lamp: failed-1}}`, verdict.Current, "no-status/nothing-known"},
	},
	"Next to it a list of conditions that have states and no types is its history.": {
		{`status: {state: ready, conditions: [{state: failed}, {state: ready}]}`, verdict.Current, "state/well"},
	},
	"a state, or the result of a run, in a word for something that is under way or to come.": {
		{`status: {buildstatus: pending}`, verdict.InProgress, "state/busy"},
		{`status: {buildStatus: Running}`, verdict.InProgress, "state/busy"},
		{`status: {trial: {phase: Running, verdict: Awaited}}`, verdict.InProgress, "state/busy"},
	},
	"Inactive may pass; inactive because of an error does not.": {
		{`status: {phase: NotReady, reason: BulbNotFound}`, verdict.Failed, "state/explained"},
		{`status: {phase: NotReady, message: comes up}`, verdict.InProgress, "state/busy"},
	},
	"The object is off only if no component is in a good state.": {
		{`status: {phase: Running, backup: {phase: Disabled}}`, verdict.Current, "state/well"},
		{`status: {lampStatus: available, streamStatus: stopped}`, verdict.Current, "state/well"},
		{`status: {streamStatus: stopped}`, verdict.Suspended, "state/component-off"},
	},
	"a state in a word for being held or off.": {
		{`status: {lifecycleState: SUSPENDED, wireStatus: Ready}`, verdict.Suspended, "state/off"},
		{`status: {lampState: PAUSED, state: CREATED}`, verdict.Suspended, "state/off"},
	},
	"any other evidence outweighs it": {
		{`status: {bulb_state: Purple, phase: Purple}`, verdict.Unknown, "state/strange"},
	},
	"Without other evidence the result of the last run is the state of the object.": {
		{`status: {phase: "", lastSwitchStatus: Failed}`, verdict.Failed, "last-run/broken"},
		{`status: {phase: Ready, lastSwitchStatus: Failed}`, verdict.Current, "state/well"},
		{`status: {lastSwitchResult: success, lastReloadResult: "failed: no bulb"}`, verdict.Failed, "last-run/broken"},
	},
	"One that names the run, as lastBackupError, is about that run and does not count.": {
		{`status: {phase: Ready, lastSwitchError: no bulb}`, verdict.Current, "state/well"},
		{`status: {phase: Ready, lastError: no bulb}`, verdict.Failed, "field/error"},
	},
	"a field for errors, as errorMessage or lastError, that is not empty and holds no word for nothing.": {
		{`status: {switchError: no bulb}`, verdict.Failed, "field/error"},
		{`status: {switchError: {code: X, description: no bulb}}`, verdict.Failed, "field/error"},
		{`status: {wires: {left: {error: no current}}}`, verdict.Failed, "field/error"},
		{`status: {sync: {errors: [{code: "1"}]}}`, verdict.Failed, "field/error"},
		{`status: {problems: [no bulb]}`, verdict.Failed, "field/error"},
		{`status: {problems: [], phase: Ready}`, verdict.Current, "state/well"},
		{`status: {phase: Ready, error: None}`, verdict.Current, "state/well"},
		{`status: {phase: Ready, error: {message: "", code: 0}}`, verdict.Current, "state/well"},
		{`status: {onError: continue, phase: Ready}`, verdict.Current, "state/well"},
	},
	"failedNodes holds nodes that failed.": {
		{`status: {failedBulbs: [a]}`, verdict.Failed, "list/failed"},
		{`status: {failedBulbs: [a], conditions: [{type: Ready, status: "True"}]}`, verdict.Current, "condition/summary-true"},
	},
	"An object with a spec should have a status; without one no controller has looked at it.": {
		{`{status: {failedBulbs: []}, spec: {}}`, verdict.InProgress, "no-status/none"},
	},
	"a list with a name for items that are not ready or not available, that is not empty.": {
		{`status: {members: {ready: [a], unready: [b]}}`, verdict.InProgress, "list/unready"},
	},
	"a list with a name for unhealthy items, that is not empty.": {
		{`status: {unhealthyBulbs: [b]}`, verdict.Degraded, "list/unhealthy"},
	},
	"A status has more than the fields that are usually read, and one of them reports a failure.": {
		{`status: {rooms: [{wires: [{stateSummary: Failed}]}]}`, verdict.Failed, "search/broken"},
		{`status: {rooms: [{stateHistory: [{stateSummary: Failed}]}]}`, verdict.Current, "no-status/nothing-known"},
		{`status: {rooms: [{wires: [{name: failed}]}]}`, verdict.Current, "no-status/nothing-known"},
		{`status: {phase: Ready, rooms: [{wires: [{stateSummary: Failed}]}]}`, verdict.Current, "state/well"},
	},
	"fields about a state at any depth of the status, without other evidence: words for something that is under way.": {
		{`status: {rooms: {a: {b: {switchProgress: Updating}}}}`, verdict.InProgress, "search/busy"},
	},
	"the type itself speaks of the failure.": {
		{`status: {type: BulbBroken, status: "True", reason: Dark}`, verdict.Failed, "condition/negative"},
		{`status: {type: BulbReady, status: "True"}`, verdict.Current, "condition/true"},
	},
	"a condition of positive type that is False, with a reason or a message in words that are not known.": {
		{`status: {modules: {wire: {conditions: [{type: Connected, status: "False", reason: Cut}]}}}`, verdict.Failed, "condition/unexplained"},
	},
	"a summary condition that is False, with a word of failure in its reason": {
		{`status: {parts: {wire: {type: Available, status: "False", reason: Failed}}}`, verdict.Failed, "condition/summary-broken"},
	},
	"a handler in status.kopf.progress without success.": {
		{`status: {kopf: {progress: {create_fn: {success: false, failure: false, message: no bulb}}}}`, verdict.InProgress, "field/handler"},
	},
	"a handler in status.kopf.progress with failure: true.": {
		{`status: {kopf: {progress: {create_fn: {success: false, failure: true, message: no bulb}}}}`, verdict.Failed, "field/handler-failed"},
	},
	"the reason and the message of the status, without other evidence: words of failure.": {
		{`status: {message: Decryption error}`, verdict.Failed, "text/broken"},
		{`status: {reason: SocketNotFound}`, verdict.Failed, "text/broken"},
	},
	"Such an object is data, as a ConfigMap is.": {
		{`{kind: LampState, data: {state: failed}}`, verdict.Current, "no-status/data"},
	},
	"There is no evidence against the object and none for it, so it is in doubt.": {
		{`status: {address: 10.0.0.1, volumeID: v, since: "2026-01-01T00:00:00Z"}`, verdict.Current, "no-status/nothing-known"},
		{`status: {updateAvailable: false}`, verdict.Current, "no-status/nothing-known"},
		{`status: {loggingEnabled: false}`, verdict.Current, "no-status/nothing-known"},
	},
	"the time at which a task started, without one at which it ended.": {
		{`{kind: LampTest, status: {startTime: "2026-01-01T00:00:00Z"}}`, verdict.InProgress, "task/started"},
	},
	"It has ended, and nothing reports a failure.": {
		{`{kind: LampTest, status: {startTime: "2026-01-01T00:00:00Z", completionTime: "2026-01-01T00:00:01Z"}}`, verdict.Current, "task/ended"},
	},
	"a state in a good word, or the result of a task in one.": {
		{`{kind: LampState, state: online}`, verdict.Current, "state/well"},
		{`status: {switchStatus: Running}`, verdict.Current, "state/well"},
		{`{kind: LampTest, status: {result: Succeeded, completionTime: "2026-01-01T00:00:01Z"}}`, verdict.Current, "state/well"},
		{`{kind: LampTest, status: {phase: Succeeded, pods: {desired: 3, ready: 0}}}`, verdict.Current, "state/well"},
	},
	"Objects of such kinds hold configuration for others, and have no status.": {
		{`{kind: LampProviderConfig, spec: {x: 1}, status: {}}`, verdict.Current, "no-status/configuration"},
	},
}

// TestFields: each sentence holds.
func TestFields(t *testing.T) { holds(t, aboutFields) }
