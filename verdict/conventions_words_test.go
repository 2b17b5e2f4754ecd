// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/tristate/tristate/verdict"
)

// TestWords: the words of types, reasons and messages have a meaning for any kind. Each row is one condition that alone decides, as
// type, status, reason, message.
func TestWords(t *testing.T) {
	const (
		good, busy, bad, off = verdict.Current, verdict.InProgress, verdict.Failed, verdict.Suspended
	)
	tests := map[string]struct {
		condition [4]string
		want      verdict.Status
	}{
		// Types.
		"cannot be reconciled": {[4]string{"Irreconcilable", "True", "", ""}, bad},
		"can be reconciled":    {[4]string{"Irreconcilable", "False", "", ""}, good},
		"none of two nouns":    {[4]string{"NoDiskPressure", "True", "", ""}, good},
		"some of two nouns":    {[4]string{"NoDiskPressure", "False", "LowSpace", ""}, bad},
		// has no meaning, and there is no other evidence
		"a finding":                        {[4]string{"ChangeDetected", "False", "", ""}, busy},
		"a bad finding":                    {[4]string{"CrashDetected", "True", "", ""}, bad},
		"health":                           {[4]string{"Health", "True", "", ""}, good},
		"health of a component":            {[4]string{"ClusterHealth", "True", "", ""}, good},
		"no health":                        {[4]string{"Health", "False", "PoolGone", "gone"}, bad},
		"goes well":                        {[4]string{"VersionSucceeding", "True", "", ""}, good},
		"looks again and again":            {[4]string{"GitPolling", "True", "", ""}, busy}, // has no meaning, and there is no other evidence
		"takes requests":                   {[4]string{"AcceptingConnection", "True", "", ""}, good},
		"not managed":                      {[4]string{"Unmanaged", "True", "", ""}, off},
		"stopped":                          {[4]string{"Stopped", "True", "", ""}, off},
		"stopped by a failure":             {[4]string{"Stopped", "True", "InstallationFailed", ""}, bad},
		"stopped at the end":               {[4]string{"Stopped", "True", "InstallationCompleted", ""}, good},
		"not at the end":                   {[4]string{"Complete", "False", "SyncJob", ""}, busy},
		"never at the end":                 {[4]string{"Complete", "False", "JobFailed", ""}, bad},
		"a version that is as expected":    {[4]string{"UpdatingVersion", "True", "AsExpected", ""}, busy},
		"evicted since it is switched off": {[4]string{"Evicted", "True", "Deactivated", ""}, off},

		"a step that was taken": {[4]string{"RolloutStarted", "True", "", ""}, busy}, // has no meaning, and there is no other evidence
		"a step to come":        {[4]string{"RolloutStarted", "False", "", ""}, busy},

		// Statuses that are none of the three words.
		"stated as well":            {[4]string{"Kubelet", "Running", "", ""}, good},
		"stated as an error":        {[4]string{"TunnelStatus", "Error", "", ""}, bad},
		"stated as under way":       {[4]string{"TunnelStatus", "Creating", "", ""}, busy},
		"stated as off":             {[4]string{"Tunnel", "Disabled", "", ""}, off},
		"stated as impaired":        {[4]string{"Available", "Degraded", "PartiallyAvailable", ""}, verdict.Degraded},
		"stated as impaired so far": {[4]string{"Available", "Degraded", "SomePodsNotReady", ""}, busy},
		"stated in no known word":   {[4]string{"Available", "Purple", "", ""}, busy},

		// Unknown.
		"not known":                        {[4]string{"Ready", "Unknown", "NotChecked", ""}, busy},
		"not known for it does not report": {[4]string{"Ready", "Unknown", "NodeStatusUnknown", "the agent stopped posting"}, bad},

		// Reasons.
		"no reason":              {[4]string{"Ready", "False", "na", ""}, busy},
		"does not apply":         {[4]string{"Available", "False", "NotApplicable", ""}, busy},
		"a bare verb":            {[4]string{"Available", "False", "Initialize", ""}, busy},
		"not up":                 {[4]string{"Ready", "False", "StoreNotUp", "stores are gone"}, busy},
		"not started":            {[4]string{"Ready", "False", "InstallNotStarted", "x"}, busy},
		"a feature is not used":  {[4]string{"Encrypted", "False", "EncryptionDisabled", ""}, off}, // there is no other evidence
		"an error on the way":    {[4]string{"Ready", "False", "Unpacking", "cannot unpack: 404"}, bad},
		"an error is quoted":     {[4]string{"Ready", "False", "Migrating", "executing: syntax error at line 1"}, bad},
		"not yet, and going on":  {[4]string{"Ready", "False", "Unpacking", "has 1 of 3, cannot go faster"}, busy},
		"not correctly":          {[4]string{"Synced", "False", "NotCorrectlyApplied", ""}, bad},
		"not fully":              {[4]string{"Synced", "False", "NotFullyApplied", ""}, busy},
		"un- before a good word": {[4]string{"Ready", "False", "Unbalanced", "x"}, busy},
		"partly":                 {[4]string{"PartiallyReady", "True", "", ""}, verdict.Degraded},
		"invalid in component":   {[4]string{"PartiallyInvalid", "True", "UnsupportedValue", "one rule is dropped"}, verdict.Degraded},
		"a limit is reached":     {[4]string{"Ready", "False", "AttemptsLimitReached", ""}, bad},
		"fails over":             {[4]string{"Available", "False", "FailingOver", ""}, busy},
		"unfulfilled":            {[4]string{"Ready", "False", "PolicyUnfulfilled", ""}, bad},
		"powered off":            {[4]string{"Ready", "False", "PoweredOff", ""}, off},
		"its author's severity":  {[4]string{"Ready", "False", "Unavailable", "no node"}, bad},

		// Messages.
		"not ready":                {[4]string{"Ready", "False", "", "Resources are not ready."}, busy},
		"not ready, and why":       {[4]string{"Ready", "False", "", "not ready: the image is invalid"}, bad},
		"fewer than there should":  {[4]string{"Available", "False", "", "the set requires 2 replicas but only 1 are there"}, busy},
		"begins with what is done": {[4]string{"Ready", "False", "RestoreBackup", "Restoring backup"}, busy},
		"it cannot":                {[4]string{"Active", "False", "QueueIsInactive", "Can't submit new work"}, bad},
		"some of them":             {[4]string{"Available", "False", "", "has 1 of 3"}, busy},
		"all of them":              {[4]string{"Available", "False", "", "has 3 of 3"}, bad},
		"a date":                   {[4]string{"Available", "False", "", "since 1/2/2026"}, bad},
		"no place":                 {[4]string{"Scheduled", "False", "", "0/3 nodes"}, bad},
		"is being made":            {[4]string{"ACK.ResourceSynced", "False", "", "table is being updated"}, busy},
		"the name of a state":      {[4]string{"ACK.ResourceSynced", "False", "", "replication group currently in 'modifying' state"}, busy},
		"not in a good state":      {[4]string{"ACK.ResourceSynced", "False", "", "Service is not in ACTIVE status"}, busy},
		"says nothing at all":      {[4]string{"ACK.ResourceSynced", "False", "", ""}, busy},
		"quotes an error":          {[4]string{"ACK.ResourceSynced", "False", "", "AccessDenied: not authorized"}, bad},
		"a deployment comes up":    {[4]string{"Ready", "False", "AppUnavailable", "Deployment does not have minimum availability."}, busy},
	}
	e := new(verdict.Engine)
	for name, tc := range tests {
		c := tc.condition
		raw := fmt.Sprintf(`{"kind":"Thing","spec":{"a":1},"status":{"conditions":[{"type":%q,"status":%q,"reason":%q,"message":%q}]}}`, c[0],
			c[1], c[2], c[3])
		if !json.Valid([]byte(raw)) {
			t.Fatalf("%s: invalid JSON", name)
		}
		if v := judgeRaw(e, []byte(raw), now); v.Status != tc.want {
			t.Errorf("%s: want %s, got %s by %s: %s %v", name, tc.want, v.Status, v.Rule, v.Message, v.Evidence)
		}
	}
}
