// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// reasonWords says what the words of reasons, phases and states mean. Words that end in -ing and are not listed are activities.
var reasonWords = lexiconOf(map[sense]string{
	// Broken, or unable to go on.
	senseBad: `
		abandoned abort aborted aborting alert ambiguous backoff bad blocked broken canceled cancelled cannot conflict
		conflicted conflicting conflicts corrupt corrupted corruption crash crashed crashing crashloop crashlooping critical
		danger dead deadlock declined degraded denied disallowed discarded disconnected err errimagepull erroneous error errored
		erroring errors errs evict evicted exceeded exhausted expired fail failed failing fails failure failures fallback fatal
		fault faulted faulting faulty fenced forbidden illegal impaired inaccessible incompatible inconsistent incorrect
		insufficient interrupted invalid issue issues killed lost malformed misconfiguration misconfigured mismatch mismatched
		misscheduled missing nok noncompliant nonexistent notfound offline oom orphan orphaned outage outofsync overcommitted
		overloaded panic partial partially preempted problem problems red refused rejected revoked rollback rolledback stalled
		stuck terminal timeout unable unacceptable unassignable unauthenticated unauthorized unavailable unbound undecryptable
		undefined undeliverable unexpected unfulfilled unhealthy unknownerror unmatched unparsable unparseable unpermitted
		unprocessable unreachable unready unrecognized unrecoverable unrecoverableerror unresolvable unresolved unresponsive
		unsatisfiable unsatisfied unschedulable unsuccessful unsuccessfully unsupported unsynced untrusted unusable unverified
		violated violating violation violations warn warning wrong`,
	// The author does not know.
	senseUnknown: `
		inconclusive indeterminate undetermined unknown`,
	// Under way, or to come.
	senseBusy: `
		awaited awaiting busy deferred delayed dirty incomplete inflight init initial inprogress ongoing outdated pending
		planned postponed preparation progress queue queued requested requeue requeued requires retried retry rolling rollout
		scheduling soon stale started submitted triggered undeployed uninitialized unprovisioned unscheduled unstarted wait
		waiting waits yellow`,
	// Not so, which may pass.
	senseVague: `
		inactive unstable`,
	// Off on purpose.
	senseOff: `
		cordoned deactivated disabled drained frozen halted hibernate hibernated hibernating parked pause paused poweredoff
		scaledtozero shutdown skipped sleeping stopped suspend suspended suspends unmanaged`,
	// Reached.
	senseGood: `
		accepted accepting accomplished active added admitted alive allocated applied approved asexpected assigned attached
		available balanced bound complete completed compliant configured connected consistent converged created current deployed
		done elected enabled established executed exported fine finished fresh fulfilled functional good granted green healthy
		imported initialized installed issued joined latest launched listening live loaded met mounted noerror noerrors nominal
		normal ok okay online operational optimal pass passed passing processed programmed promoted propagated protected
		provisioned published purged reachable ready reconciled registered replicated resolved responsive restored running
		satisfied schedulable scheduled serving settled stable subscribed succeed succeeded succeeding success successful
		successfully synced synchronized trusted updated upgraded uptodate usable valid verified working`,
	// Neither an activity nor anything else, in spite of the ending.
	senseNone: `
		according billing binding caching corresponding during encoding engineering everything existing following handling
		hosting including incoming king listing logging mapping matching meeting messaging monitoring naming networking nothing
		ordering outgoing owning polling pricing rating remaining ring routing settings sharing something staging storing
		streaming string thing timing tracing training tuning watching`,
})

// lexiconOf reads lists of words by what they mean.
func lexiconOf(lists map[sense]string) map[string]sense {
	out := map[string]sense{}
	for s, list := range lists {
		for _, word := range strings.Fields(list) {
			out[word] = s
		}
	}
	return out
}

// lexicon is what the words of an object mean.
type lexicon struct {
	words    map[string]sense  // of reasons, types and states
	sentence map[string]sense  // of messages
	phrases  map[string]sense  // whole values whose words mislead
	read     map[WordRead]bool // what was looked up, where that is asked for
}

var defaultLexicon = &lexicon{words: reasonWords, sentence: sentenceWords, phrases: phrases}
