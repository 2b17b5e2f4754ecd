// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// lag compares generations. A controller that reports an observedGeneration reports on that generation only.
// It reports whether there is such a number.
func (g *gather) lag() bool {
	n := g.status.get("observedGeneration")
	seen, ok := n.num()
	if ok && seen != g.generation {
		g.behind("observedGeneration", n, weightStale)
	}
	return ok
}

// behind weighs a generation of the status that is not the one of the object.
func (g *gather) behind(key string, n node, weight int8) {
	seen, ok := n.num()
	if g.generation < 0 || !ok || seen == g.generation {
		return
	}
	if seen > g.generation && (n.kind() == kindString || weight != weightStale) {
		return // a hash of the spec, written in digits, or a count of something else
	}
	g.stale = g.stale || weight >= weightNotSeen
	g.against(&claim{
		status: InProgress, weight: weight, rule: "condition/generation", conf: FromCondition,
		reason: "GenerationNotObserved", msg: message{wording: generations, n1: g.generation, n2: seen},
		at: atStatus, a: key, n: n,
	})
}

// The weights of generations beside observedGeneration.
const (
	weightNotSeen    = weightStale - 2 // what was looked at: the status is about another spec
	weightNotReached = weightBusy + 2  // what was carried out: an error may tell why it was not
)

// generationKey gives the weight of a number that names an earlier generation, or 0 if the key names none.
func generationKey(key string) int8 {
	if len(key) < len("lastGeneration") || !strings.HasSuffix(key, "eneration") {
		return 0
	}
	switch key {
	case "observed_generation", "lastEvaluatedGeneration", "lastSeenGeneration":
		return weightNotSeen
	case "lastGeneration", "reconciledGeneration", "lastReconciledGeneration", "lastSyncGeneration", "lastSyncedGeneration", "syncedGeneration",
		"appliedGeneration", "lastAppliedGeneration", "processedGeneration", "lastProcessedGeneration":
		return weightNotReached
	}
	if strings.HasSuffix(key, "ObservedGeneration") {
		return weightNotSeen
	}
	return 0
}
