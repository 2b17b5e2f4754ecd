// SPDX-License-Identifier: Apache-2.0

package verdict

// sentenceWords is the smaller vocabulary of messages: words that are telling in the middle of a sentence too.
var sentenceWords = lexiconOf(map[sense]string{
	senseBad: `
		aborted broken cannot conflict corrupt couldn crash crashed degraded denied disconnected doesn error errors exceeded
		exhausted expired fail failed fails failure forbidden illegal incorrect insufficient invalid lost malformed
		misconfigured mismatch missing refused rejected timeout unable unauthorized unavailable unhealthy unreachable unresolved
		unschedulable unsupported violation`,
	senseBusy: `
		awaiting creating deploying initializing installing pending processing progress progressing provisioning queued
		reconciling retrying rolling scaling starting still until updating wait waiting yet`,
	senseOff: `
		hibernated paused suspended`,
})

// phrases are whole values whose words mislead.
var phrases = map[string]sense{
	"AsExpected":                 senseGood,
	"NoReasonGiven":              senseNone,
	"MinimumReplicasAvailable":   senseGood,
	"MinimumReplicasUnavailable": senseBusy,
	"NewReplicaSetAvailable":     senseGood,
	"ContainersNotReady":         senseBusy,
	"PodsNotReady":               senseBusy,
	"NotReady":                   senseVague,
	"Bootstrap":                  senseBusy,
	"NotEnabled":                 senseOff,
	"PoweredOff":                 senseOff,
	"poweredOff":                 senseOff,
	"ScaledToZero":               senseOff,
	"scaledToZero":               senseOff,
	"InSync":                     senseGood,
	"Initialize":                 senseBusy,
	"Create":                     senseBusy,
	"Install":                    senseBusy,
	"Deploy":                     senseBusy,
	"Provision":                  senseBusy,
	"ProgressDeadlineExceeded":   senseBad,
	"CrashLoopBackOff":           senseBad,
	"ImagePullBackOff":           senseBad,
	"WaitForFirstConsumer":       senseBusy,
	"UpToDate":                   senseGood,
	"up-to-date":                 senseGood,
	"Down":                       senseBad,
	"down":                       senseBad,
	"DOWN":                       senseBad,
	"Up":                         senseGood,
	"up":                         senseGood,
	"UP":                         senseGood,
	"OutOfSync":                  senseBusy,
	"RolledBack":                 senseBad,
	"New":                        senseBusy,
	"new":                        senseBusy,
	"True":                       senseNone,
	"False":                      senseNone,
}
