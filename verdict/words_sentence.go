// SPDX-License-Identifier: Apache-2.0

package verdict

// sentenceWords is the smaller vocabulary of messages: words that are telling in the middle of a sentence too.
var sentenceWords = map[string]sense{
	"aborted": senseBad, "broken": senseBad, "cannot": senseBad, "conflict": senseBad, "corrupt": senseBad,
	"couldn": senseBad, "crash": senseBad, "crashed": senseBad, "degraded": senseBad, "denied": senseBad,
	"disconnected": senseBad, "doesn": senseBad, "error": senseBad, "errors": senseBad, "exceeded": senseBad,
	"exhausted": senseBad, "expired": senseBad, "fail": senseBad, "failed": senseBad, "fails": senseBad,
	"failure": senseBad, "forbidden": senseBad, "illegal": senseBad, "incorrect": senseBad, "insufficient": senseBad,
	"invalid": senseBad, "lost": senseBad, "malformed": senseBad, "misconfigured": senseBad, "mismatch": senseBad,
	"missing": senseBad, "refused": senseBad, "rejected": senseBad, "timeout": senseBad, "unable": senseBad,
	"unauthorized": senseBad, "unavailable": senseBad, "unhealthy": senseBad, "unreachable": senseBad,
	"unresolved": senseBad, "unschedulable": senseBad, "unsupported": senseBad, "violation": senseBad,

	"awaiting": senseBusy, "creating": senseBusy, "deploying": senseBusy, "initializing": senseBusy,
	"installing": senseBusy, "pending": senseBusy, "processing": senseBusy, "progress": senseBusy,
	"progressing": senseBusy, "provisioning": senseBusy, "queued": senseBusy, "reconciling": senseBusy,
	"retrying": senseBusy, "rolling": senseBusy, "scaling": senseBusy, "starting": senseBusy, "still": senseBusy,
	"until": senseBusy, "updating": senseBusy, "wait": senseBusy, "waiting": senseBusy, "yet": senseBusy,

	"hibernated": senseOff, "paused": senseOff, "suspended": senseOff,
}

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
