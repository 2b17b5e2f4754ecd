// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// counts compares what is wanted with what is there. Replicas below a partition are not to be updated.
func (g *judge) counts() {
	j := g
	want, ok := int64(0), false
	for _, f := range [...]node{j.spec.get("replicas"), j.status.get("desiredNumberScheduled"), j.status.get("desiredReplicas"),
		j.status.get("desiredHealthy"), j.status.get("expectedMachines")} {
		if want, ok = f.num(); ok {
			break
		}
	}
	if !ok {
		return
	}
	partition := j.spec.get2("updateStrategy", "partition").numOr(j.spec.get3("updateStrategy", "rollingUpdate", "partition").numOr(0))
	for _, field := range countFields {
		n := j.status.get(field)
		have, ok := n.num()
		if !ok {
			continue
		}
		need := want
		if field == "updatedReplicas" && partition > 0 {
			need -= partition
		}
		cl := claim{
			conf: FromHeuristic, rule: "heuristic/replicas", reason: "Replicas",
			at: atStatus, a: field, n: n, msg: message{wording: counted, s1: field, n1: have, n2: need},
		}
		if have >= need {
			cl.weight = goodCount
			g.speakFor(&cl)
			continue
		}
		cl.status, cl.weight, cl.reason = InProgress, weightBusy-2, "LessReplicas"
		g.against(&cl)
	}
}

var countFields = [...]string{"readyReplicas", "availableReplicas", "updatedReplicas", "numberReady", "replicas", "currentHealthy"}

// outOf weighs a string of the form 1/3 in a field about replicas.
func (g *judge) outOf(a, b string, n node) {
	s := n.str()
	i := strings.IndexByte(s, '/')
	if i < 1 || len(s) > 24 {
		return
	}
	have, ok := parseNum(strings.TrimSpace(s[:i]))
	want, ok2 := parseNum(strings.TrimSpace(s[i+1:]))
	if !ok || !ok2 {
		return
	}
	cl := claim{
		conf: FromHeuristic, rule: "heuristic/replicas", reason: "Replicas", at: atStatus, a: a, b: b, n: n,
		msg: message{wording: counted, s1: a, n1: have, n2: want},
	}
	if have >= want {
		cl.weight = goodCount
		g.speakFor(&cl)
		return
	}
	cl.status, cl.weight, cl.reason = InProgress, weightBusy-2, "LessReplicas"
	g.against(&cl)
}
