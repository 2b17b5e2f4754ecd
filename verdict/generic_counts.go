// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// family is what is counted in the same unit: how many are wanted, and how many there are of each sort.
type family struct {
	spec, status []string // where the number that is wanted stands; the first that is there counts
	have         []string
	short        string // how many are missing
}

// families are the names by which workloads and their likes count.
var families = [...]family{
	{spec: []string{"replicas"}, status: []string{"desiredReplicas"},
		have:  []string{"readyReplicas", "availableReplicas", "updatedReplicas", "replicas"},
		short: "unavailableReplicas"},
	{status: []string{"desiredNumberScheduled"}, have: []string{"numberReady", "numberAvailable", "updatedNumberScheduled"}, short: "numberUnavailable"},
	{status: []string{"expectedMachines", "desiredHealthy"}, have: []string{"currentHealthy"}},
	{spec: []string{"instances"}, status: []string{"instances"}, have: []string{"readyInstances"}},
	{spec: []string{"nodes", "nodeCount"}, status: []string{"expectedNodes", "desiredNodes"}, have: []string{"readyNodes", "availableNodes"}},
	{spec: []string{"members"}, status: []string{"members"}, have: []string{"readyMembers"}},
}

// counts compares what is wanted with what is there.
func (g *gather) counts() {
	for i := range families {
		g.reckon(&families[i])
	}
}

func (g *gather) reckon(f *family) {
	want, ok := firstNumber(g.spec, f.spec)
	if !ok {
		if want, ok = firstNumber(g.status, f.status); !ok {
			return
		}
	}
	strategy := g.spec.get("updateStrategy")
	partition := strategy.get("partition").numOr(strategy.get2("rollingUpdate", "partition").numOr(0))
	for _, field := range f.have {
		n := g.status.get(field)
		have, ok := n.num()
		if !ok && (field != "readyReplicas" || !g.omitsReady()) {
			continue
		}
		need := want
		if strings.HasPrefix(field, "updated") {
			if strategy.get("type").str() == "OnDelete" {
				continue // pods are updated when somebody deletes them
			}
			need -= max(partition, 0) // what is below a partition is not to be updated
		}
		g.compare(have, need, message{wording: counted, s1: field}, field, "", n)
	}
	if n := g.status.get(f.short); f.short != "" {
		if short, ok := n.num(); ok && short > 0 && want > 0 {
			g.compare(want-short, want, message{wording: counted, s1: "available"}, f.short, "", n)
		}
	}
}

// omitsReady says whether a status counts replicas in a way that knows ready ones, and has none: a zero is left out in Go.
func (g *gather) omitsReady() bool {
	return g.status.get("fullyLabeledReplicas").kind() != kindNone && g.status.get("availableReplicas").kind() == kindNone
}

func firstNumber(n node, fields []string) (int64, bool) {
	for _, field := range fields {
		if v, ok := n.get(field).num(); ok {
			return v, true
		}
	}
	return 0, false
}

// compare weighs how many there are of how many.
func (g *gather) compare(have, want int64, m message, a, b string, n node) {
	m.n1, m.n2 = have, want
	cl := claim{conf: FromHeuristic, rule: "heuristic/replicas", reason: "Replicas", at: atStatus, a: a, b: b, n: n, msg: m}
	if have >= want {
		cl.weight = goodCount
		g.speakFor(&cl)
		return
	}
	cl.status, cl.weight, cl.reason = InProgress, weightBusy-2, "LessReplicas"
	g.against(&cl)
}

// outOf weighs a string of the form 1/3 in a field about replicas.
func (g *gather) outOf(a, b string, n node) {
	s := n.str()
	i := strings.IndexByte(s, '/')
	if i < 1 || len(s) > 24 {
		return
	}
	have, ok := parseNum(strings.TrimSpace(s[:i]))
	want, ok2 := parseNum(strings.TrimSpace(s[i+1:]))
	if ok && ok2 {
		g.compare(have, want, message{wording: counted, s1: a}, a, b, n)
	}
}
