// SPDX-License-Identifier: Apache-2.0

package verdict

// lexicon says what the words of reasons, phases and states mean. Words that end in -ing and are not listed are activities.
var lexicon = map[string]sense{
	// Broken, or unable to go on.
	"abandoned": senseBad, "abort": senseBad, "aborted": senseBad, "alert": senseBad, "ambiguous": senseBad, "backoff": senseBad,
	"bad": senseBad, "blocked": senseBad, "broken": senseBad, "cannot": senseBad, "conflict": senseBad,
	"conflicted": senseBad, "conflicting": senseBad, "conflicts": senseBad, "corrupt": senseBad, "corrupted": senseBad,
	"corruption": senseBad, "crash": senseBad, "crashed": senseBad, "crashing": senseBad, "crashloop": senseBad,
	"critical": senseBad, "danger": senseBad, "dead": senseBad, "deadlock": senseBad, "declined": senseBad,
	"degraded": senseBad, "denied": senseBad, "disallowed": senseBad, "disconnected": senseBad,
	"err": senseBad, "errimagepull": senseBad, "erroneous": senseBad, "error": senseBad, "errored": senseBad,
	"errors": senseBad, "errs": senseBad, "evict": senseBad, "evicted": senseBad, "exceeded": senseBad,
	"exhausted": senseBad, "expired": senseBad, "fail": senseBad, "failed": senseBad, "failing": senseBad,
	"fails": senseBad, "failure": senseBad, "failures": senseBad, "fatal": senseBad, "fault": senseBad,
	"faulted": senseBad, "faulty": senseBad, "fenced": senseBad, "forbidden": senseBad, "illegal": senseBad,
	"impaired": senseBad, "inaccessible": senseBad, "incompatible": senseBad, "inconsistent": senseBad,
	"incorrect": senseBad, "insufficient": senseBad, "invalid": senseBad, "interrupted": senseBad, "issue": senseBad, "issues": senseBad,
	"killed": senseBad, "lost": senseBad, "malformed": senseBad, "misconfiguration": senseBad,
	"misconfigured": senseBad, "mismatch": senseBad, "mismatched": senseBad, "misscheduled": senseBad,
	"missing": senseBad, "nok": senseBad, "nonexistent": senseBad, "notfound": senseBad, "offline": senseBad,
	"oom": senseBad, "orphan": senseBad, "orphaned": senseBad, "partial": senseBad, "partially": senseBad, "noncompliant": senseBad, "warn": senseBad, "fallback": senseBad, "aborting": senseBad, "cancelled": senseBad, "canceled": senseBad, "discarded": senseBad, "undecryptable": senseBad, "crashlooping": senseBad, "erroring": senseBad, "faulting": senseBad, "unresponsive": senseBad, "untrusted": senseBad, "unverified": senseBad, "unmatched": senseBad, "outage": senseBad, "outofsync": senseBad, "overcommitted": senseBad, "overloaded": senseBad, "panic": senseBad,
	"preempted": senseBad, "problem": senseBad, "problems": senseBad,
	"revoked": senseBad, "red": senseBad, "refused": senseBad, "rejected": senseBad, "rollback": senseBad, "rolledback": senseBad,
	"stalled": senseBad, "stuck": senseBad, "terminal": senseBad, "timeout": senseBad, "unable": senseBad,
	"unacceptable": senseBad, "unassignable": senseBad, "unauthenticated": senseBad, "unauthorized": senseBad,
	"unavailable": senseBad, "unbound": senseBad, "undefined": senseBad, "undeliverable": senseBad,
	"unexpected": senseBad, "unfulfilled": senseBad, "unhealthy": senseBad, "unknownerror": senseBad, "unparsable": senseBad,
	"unparseable": senseBad, "unpermitted": senseBad, "unprocessable": senseBad, "unreachable": senseBad,
	"unready": senseBad, "unrecognized": senseBad, "unrecoverable": senseBad, "unrecoverableerror": senseBad,
	"unresolvable": senseBad, "unresolved": senseBad, "unsatisfiable": senseBad, "unsatisfied": senseBad,
	"unschedulable": senseBad, "unsuccessful": senseBad, "unsuccessfully": senseBad, "unsupported": senseBad,
	"unsynced": senseBad, "unusable": senseBad, "violated": senseBad, "violating": senseBad, "violation": senseBad,
	"violations": senseBad, "warning": senseBad, "wrong": senseBad,

	// The author does not know.
	"inconclusive": senseUnknown, "indeterminate": senseUnknown, "undetermined": senseUnknown, "unknown": senseUnknown,

	// Under way, or to come.
	"awaited": senseBusy, "awaiting": senseBusy, "inactive": senseVague, "triggered": senseBusy, "unstable": senseVague, "requires": senseBusy, "busy": senseBusy, "deferred": senseBusy, "delayed": senseBusy, "dirty": senseBusy,
	"incomplete": senseBusy, "inflight": senseBusy, "init": senseBusy, "initial": senseBusy, "inprogress": senseBusy,
	"ongoing": senseBusy, "outdated": senseBusy, "pending": senseBusy, "planned": senseBusy,
	"postponed": senseBusy, "preparation": senseBusy, "progress": senseBusy, "queue": senseBusy, "queued": senseBusy,
	"requested": senseBusy, "requeue": senseBusy, "requeued": senseBusy, "retried": senseBusy, "retry": senseBusy,
	"rolling": senseBusy, "rollout": senseBusy, "scheduling": senseBusy, "soon": senseBusy, "stale": senseBusy,
	"started": senseBusy, "submitted": senseBusy, "undeployed": senseBusy, "uninitialized": senseBusy,
	"unprovisioned": senseBusy, "unscheduled": senseBusy, "unstarted": senseBusy, "wait": senseBusy,
	"waiting": senseBusy, "waits": senseBusy, "yellow": senseBusy,

	// Off on purpose.
	"cordoned": senseOff, "drained": senseOff, "deactivated": senseOff, "disabled": senseOff, "frozen": senseOff, "halted": senseOff, "hibernate": senseOff,
	"hibernated": senseOff, "hibernating": senseOff, "parked": senseOff,
	"pause": senseOff, "paused": senseOff, "poweredoff": senseOff, "unmanaged": senseOff, "scaledtozero": senseOff, "shutdown": senseOff,
	"skipped": senseOff, "sleeping": senseOff, "stopped": senseOff, "suspend": senseOff, "suspended": senseOff, "suspends": senseOff,

	// Reached.
	"accepted": senseGood, "accepting": senseGood, "accomplished": senseGood, "executed": senseGood, "listening": senseGood, "passing": senseGood, "processed": senseGood, "purged": senseGood, "succeed": senseGood, "succeeding": senseGood, "active": senseGood, "added": senseGood, "admitted": senseGood, "alive": senseGood,
	"granted": senseGood, "allocated": senseGood, "applied": senseGood, "approved": senseGood, "asexpected": senseGood, "assigned": senseGood,
	"attached": senseGood, "available": senseGood, "compliant": senseGood, "met": senseGood, "upgraded": senseGood, "propagated": senseGood, "subscribed": senseGood, "converged": senseGood, "balanced": senseGood, "trusted": senseGood, "responsive": senseGood, "protected": senseGood, "mounted": senseGood, "restored": senseGood, "launched": senseGood, "consistent": senseGood, "bound": senseGood, "complete": senseGood, "completed": senseGood,
	"configured": senseGood, "connected": senseGood, "created": senseGood, "current": senseGood, "deployed": senseGood,
	"done": senseGood, "elected": senseGood, "enabled": senseGood, "established": senseGood, "exported": senseGood,
	"fine": senseGood, "finished": senseGood, "fresh": senseGood, "fulfilled": senseGood, "functional": senseGood,
	"good": senseGood, "green": senseGood, "healthy": senseGood, "imported": senseGood, "initialized": senseGood,
	"installed": senseGood, "issued": senseGood, "joined": senseGood, "latest": senseGood, "live": senseGood,
	"loaded": senseGood, "noerror": senseGood, "noerrors": senseGood, "nominal": senseGood, "normal": senseGood,
	"ok": senseGood, "okay": senseGood, "online": senseGood, "operational": senseGood, "optimal": senseGood,
	"pass": senseGood, "passed": senseGood, "programmed": senseGood, "promoted": senseGood, "provisioned": senseGood,
	"published": senseGood, "reachable": senseGood, "ready": senseGood, "reconciled": senseGood,
	"registered": senseGood, "replicated": senseGood, "resolved": senseGood, "running": senseGood,
	"satisfied": senseGood, "schedulable": senseGood, "scheduled": senseGood, "serving": senseGood,
	"settled": senseGood, "stable": senseGood, "succeeded": senseGood, "success": senseGood, "successful": senseGood,
	"successfully": senseGood, "synced": senseGood, "synchronized": senseGood,
	"updated": senseGood, "uptodate": senseGood, "usable": senseGood, "valid": senseGood, "verified": senseGood,
	"working": senseGood,

	// Neither an activity nor anything else, in spite of the ending.
	"polling": senseNone, "watching": senseNone,
	"according": senseNone, "billing": senseNone, "binding": senseNone, "caching": senseNone,
	"corresponding": senseNone, "during": senseNone, "encoding": senseNone, "engineering": senseNone,
	"everything": senseNone, "existing": senseNone, "following": senseNone, "handling": senseNone, "hosting": senseNone,
	"including": senseNone, "incoming": senseNone, "king": senseNone, "listing": senseNone, "logging": senseNone,
	"mapping": senseNone, "matching": senseNone, "meeting": senseNone, "messaging": senseNone, "monitoring": senseNone,
	"naming": senseNone, "networking": senseNone, "nothing": senseNone, "ordering": senseNone, "outgoing": senseNone,
	"owning": senseNone, "pricing": senseNone, "rating": senseNone, "remaining": senseNone, "ring": senseNone,
	"routing": senseNone, "settings": senseNone, "sharing": senseNone, "something": senseNone,
	"staging": senseNone, "storing": senseNone, "streaming": senseNone, "string": senseNone, "thing": senseNone,
	"timing": senseNone, "tracing": senseNone, "training": senseNone, "tuning": senseNone,
}
