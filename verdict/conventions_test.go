// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"encoding/json"
	"testing"

	"github.com/tristate/tristate/verdict"
)

// TestConventions: unknown kinds are judged by the usual meaning of fields and words.
func TestConventions(t *testing.T) {
	judgeAll(t, "Lamp", map[string]expected{
		"switched off before anybody looked": {`"spec":{"suspend":true}`, verdict.Suspended},
		"switched off by an annotation":      {`"metadata":{"annotations":{"example.org/paused":"true"}},"spec":{}`, verdict.Suspended},
		"not switched off":                   {`"spec":{"suspend":false}`, verdict.InProgress},
		"switched off and not observed": {`"metadata":{"generation":2},"spec":{"paused":true},"status":{"observedGeneration":1}`,
			verdict.Suspended},

		"ended badly": {`"status":{"conditions":[{"type":"Finished","status":"True","reason":"Failed"}]}`, verdict.Failed},
		"ended well": {`"status":{"conditions":[{"type":"Finished","status":"True","reason":"Succeeded"}]}`,
			verdict.Current},
		"no status, and bad by its type":  {`"status":{"conditions":[{"type":"Failed","message":"x"}]}`, verdict.Failed},
		"no status, and good by its type": {`"status":{"conditions":[{"type":"Ready","message":"x"}]}`, verdict.InProgress},

		"has an error": {`"status":{"phase":"Ready","errorMessage":"no disk"}`, verdict.Failed},

		"a word that says nothing": {`"status":{"phase":"Purple"}`, verdict.Unknown},
		"a word that says nothing, and a condition": {`"status":{"phase":"Purple","conditions":[{"type":"Ready","status":"True"}]}`,
			verdict.Current},
		"a word that says nothing, and the last run": {`"status":{"phase":"Purple","lastRun":{"state":"Failed"}}`, verdict.Failed},

		"a feature is not used": {
			`"status":{"conditions":[{"type":"Encrypted","status":"False","reason":"EncryptionDisabled"},{"type":"NodesAvailable","status":"True"}]}`, verdict.Current},
		"serves, and a component goes on": {
			`"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Quiesced","status":"False","reason":"StillReconciling"}]}`,
			verdict.InProgress},
		"serves, and a component is not asked": {
			`"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"BalancerReady","status":"False","reason":"EndpointPublishingStrategyExcludesBalancer"}]}`, verdict.Current},
		"a component is not heard of": {
			`"status":{"conditions":[{"type":"AgentReady","status":"Unknown","message":"the agent stopped posting"}]}`, verdict.Failed},
		"an activity that failed": {
			`"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Archiving","status":"False","reason":"ArchivingFailing"}]}`,
			verdict.Degraded},
		"an activity that is over": {
			`"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Archiving","status":"False","reason":"NothingToArchive"}]}`,
			verdict.Current},
		"partly":        {`"status":{"state":"ONLINE_PARTIAL"}`, verdict.Degraded},
		"partly failed": {`"status":{"state":"PartiallyFailed"}`, verdict.Failed},
		"not correctly": {`"status":{"state":"rules not correctly applied"}`, verdict.Failed},
		"failed over":   {`"status":{"phase":"FailedOver"}`, verdict.Current},
		"fails over":    {`"status":{"phase":"Failing over"}`, verdict.InProgress},
		"degraded component": {
			`"status":{"conditions":[{"type":"WebhookDegraded","status":"True","reason":"SyncError"},{"type":"WebhookAvailable","status":"True"}]}`,
			verdict.Degraded},
		"degraded component that is gone": {
			`"status":{"conditions":[{"type":"WebhookDegraded","status":"True","reason":"SyncError"},{"type":"WebhookAvailable","status":"False","reason":"SyncError"}]}`, verdict.Failed},
		"what is made need not be available": {
			`"status":{"conditions":[{"type":"Available","status":"False","reason":"PartsUnavailable"},{"type":"Progressing","status":"True"}]}`,
			verdict.InProgress},
		"what is degraded while it is made": {
			`"status":{"conditions":[{"type":"Available","status":"False","reason":"PartsUnavailable"},{"type":"Progressing","status":"True"},{"type":"Degraded","status":"True","reason":"SyncError"}]}`, verdict.Failed},
		"what is over is not under way": {
			`"status":{"conditions":[{"type":"Complete","status":"True"},{"type":"Progressing","status":"True","reason":"NewResourceCreated"}]}`,
			verdict.Current},

		"degraded":    {`"status":{"health":"degraded"}`, verdict.Degraded},
		"with a warn": {`"status":{"health":"HEALTH_WARN"}`, verdict.Degraded},
		"broken":      {`"status":{"health":"broken"}`, verdict.Failed},

		"fewer replicas":          {`"spec":{"replicas":3},"status":{"replicas":3,"readyReplicas":2}`, verdict.InProgress},
		"replicas":                {`"spec":{"replicas":3},"status":{"replicas":3,"readyReplicas":3}`, verdict.Current},
		"unavailable replicas":    {`"spec":{"replicas":3},"status":{"replicas":3,"unavailableReplicas":3}`, verdict.InProgress},
		"fewer daemons available": {`"status":{"desiredNumberScheduled":3,"numberAvailable":2}`, verdict.InProgress},
		"fewer daemons updated":   {`"status":{"desiredNumberScheduled":3,"numberReady":3,"updatedNumberScheduled":1}`, verdict.InProgress},
		"daemons updated by hand": {
			`"spec":{"updateStrategy":{"type":"OnDelete"}},"status":{"desiredNumberScheduled":3,"numberReady":3,"updatedNumberScheduled":1}`,
			verdict.Current},
		"held back by a partition": {
			`"spec":{"replicas":3,"updateStrategy":{"partition":2}},"status":{"readyReplicas":3,"updatedReplicas":1}`, verdict.Current},
		"fewer nodes":     {`"status":{"expectedNodes":3,"availableNodes":2}`, verdict.InProgress},
		"fewer instances": {`"spec":{"instances":3},"status":{"readyInstances":1}`, verdict.InProgress},
		"instances":       {`"spec":{"instances":3},"status":{"readyInstances":3}`, verdict.Current},
		"fewer replicas of a component": {
			`"status":{"sets":[{"replicas":2,"readyReplicas":2},{"replicas":2,"readyReplicas":1}],"conditions":[{"type":"ProxyAvailable","status":"True"}]}`, verdict.InProgress},
		"a stage": {`"status":{"stage":"error"}`, verdict.Failed},
		"the last operation": {
			`"status":{"conditions":[{"type":"LastAsyncOperation","status":"False","reason":"AsyncCreateFailure"},{"type":"Ready","status":"False","reason":"Creating"}]}`, verdict.Failed},
		"of another unit": {`"spec":{"replicas":3,"instances":1},"status":{"readyReplicas":3,"readyInstances":1}`, verdict.Current},
	})
}

// expected is an object, without apiVersion and kind, and the verdict of the conventions.
type expected struct {
	object string
	want   verdict.Status
}

// judgeAll judges objects of an unknown kind.
func judgeAll(t *testing.T, kind string, tests map[string]expected) {
	t.Helper()
	e := new(verdict.Engine)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			raw := []byte(`{"apiVersion":"example.org/v1","kind":"` + kind + `",` + test.object + `}`)
			var object map[string]any
			if err := json.Unmarshal(raw, &object); err != nil {
				t.Fatal(err)
			}
			v := e.Judge(object, now)
			if v.Status != test.want {
				t.Errorf("want %s, got %s by %s: %s", test.want, v.Status, v.Rule, v.Message())
			}
		})
	}
}
