// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// suspended reads the fields of the spec, and of the strategy of a workload, that switch an object off.
func (g *gather) suspended() {
	if m, ok := g.spec.v.(map[string]any); ok && len(m) <= len(offKeys) {
		for key, v := range m {
			if n := len(key); n >= 5 && n <= 15 && v != nil {
				g.switchedOff(key, node{v: v})
			}
		}
		return
	}
	for _, key := range offKeys {
		if n := g.spec.get(key); n.kind() != kindNone {
			g.switchedOff(key, n)
		}
	}
}

// offKeys are the fields of a spec by which an object, or its roll-out, is switched off.
var offKeys = [...]string{"suspend", "suspended", "paused", "pause", "stopped", "disabled", "enabled", "enable", "managementState",
	"updateStrategy", "strategy"}

func (g *gather) switchedOff(key string, n node) {
	cl := claim{
		status: Suspended, weight: weightStopped, rule: "condition/suspended", conf: FromCondition, reason: "Suspended",
		msg: message{wording: isTrueField, s1: "spec", s2: key}, at: atSpec, a: key, n: n,
	}
	switch key {
	case "suspend", "suspended", "paused", "pause", "stopped", "disabled":
		if !n.isTrue() {
			return
		}
	case "enabled", "enable":
		if on, ok := n.boolean(); on || !ok {
			return
		}
		cl.msg = message{wording: fieldIs, s1: key, s2: "false"}
	case "managementState":
		// Removed and Unmanaged: the operator is told to keep its hands off.
		if s := n.str(); s != "Removed" && s != "Unmanaged" {
			return
		}
		cl.reason, cl.msg = n.str(), message{wording: fieldIs, s1: key, s2: n.str()}
	case "updateStrategy", "strategy":
		if !n.get("paused").isTrue() && !n.get2("rollingUpdate", "paused").isTrue() {
			return
		}
		cl.weight, cl.b = weightStopped-1, "paused"
	default:
		return
	}
	g.against(&cl)
}

// annotated reads the annotations by which users take an object away from its controller.
func (g *gather) annotated() {
	notes := g.meta.get("annotations")
	if notes.size() == 0 {
		return
	}
	notes.fields(func(key string, n node) bool {
		if !pausing(key) || n.str() == "false" {
			return true
		}
		g.against(&claim{
			status: Suspended, weight: weightStopped - 2, rule: "condition/suspended", conf: FromCondition,
			reason: "Paused", msg: message{wording: listed, s1: "paused by annotation", s2: key}, at: atAnnotation, a: key, n: n,
		})
		return true
	})
}

// pausing says whether the name of an annotation is a usual one for pausing, whatever its prefix.
func pausing(key string) bool {
	name := key[strings.LastIndexByte(key, '/')+1:]
	switch name {
	case "paused", "pause", "pause-reconciliation", "suspend", "suspended", "stop", "stopped":
		return len(name) < len(key)
	}
	return strings.HasSuffix(name, "-paused") || strings.HasSuffix(name, "-stopped")
}
