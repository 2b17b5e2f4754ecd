// SPDX-License-Identifier: Apache-2.0

package verdict

// stated weighs a condition whose status is none of the three words, by what its word says, whatever the type: Degraded,
// Established, Error. A negative type without a status is stated by being there. It reports whether that was all.
func (g *gather) stated(c *cond, info typeInfo, word, within string) bool {
	s := senseOf(word)
	if word == "" && info.aspect == aspectNegative && c.n.get("status").kind() == kindNone {
		s = senseBad
	}
	const rule = "condition/stated"
	switch s {
	case senseBad:
		if !impaired(word) {
			g.claim(c, within, Failed, weightBad, rule)
			break
		}
		switch senseOf(c.reason()) {
		case senseBusy, senseVague: // some pods are not ready
			g.claim(c, within, InProgress, weightBusy, rule)
		default:
			g.claim(c, within, Degraded, weightBad, rule)
		}
	case senseBusy, senseVague:
		g.claim(c, within, InProgress, weightBusy, rule)
	case senseOff:
		g.claim(c, within, Suspended, weightOff, rule)
	case senseGood:
		g.fine(c, within, goodPositive)
	default:
		return false
	}
	return true
}
