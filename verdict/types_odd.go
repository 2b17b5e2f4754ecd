// SPDX-License-Identifier: Apache-2.0

package verdict

// oddTypes are condition types whose words mislead.
var oddTypes = map[string]aspect{
	"Progressing":               aspectActivity,
	"Reconciling":               aspectActivity,
	"Warning":                   aspectNeutral,
	"Warnings":                  aspectNeutral,
	"UpToDate":                  aspectPositive,
	"Drifted":                   aspectNeutral,
	"Active":                    aspectPositive,
	"LastAsyncOperation":        aspectPositive,
	"Stalled":                   aspectNegative,
	"ReplicaFailure":            aspectNegative,
	"ScalingLimited":            aspectNeutral,
	"ScalingActive":             aspectPositive,
	"AbleToScale":               aspectPositive,
	"DisruptionAllowed":         aspectNeutral,
	"DisruptionTarget":          aspectNeutral,
	"Upgradeable":               aspectNeutral,
	"LeaderElected":             aspectNeutral,
	"Initialized":               aspectStep,
	"ContainersReady":           aspectPositive,
	"PodReadyToStartContainers": aspectNeutral,
	"RollingUpdate":             aspectActivity,
	"ScalingUp":                 aspectActivity,
	"ScalingDown":               aspectActivity,
	"RollingOut":                aspectActivity,
	"RollingBack":               aspectActivity,
	"Pending":                   aspectActivity,
	"Deleted":                   aspectNeutral,
	"Idle":                      aspectNeutral,
	"Suspend":                   aspectOff,
}
