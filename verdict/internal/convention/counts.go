// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/object"
)

// family is a set of numbers in one unit: how many are wanted, and how many exist of each sort.
type family struct {
	spec, status []string // fields of the wanted number; the first that exists counts
	have         []string
	short        string // the number of missing ones
	zero         string // a number that is 0 if it is omitted next to one of knows
	knows        []string
}

// families are the usual numbers of workloads and similar kinds.
var families = [...]family{
	{spec: []string{"replicas"}, status: []string{"desiredReplicas"},
		have:  []string{"readyReplicas", "availableReplicas", "updatedReplicas", "replicas"},
		short: "unavailableReplicas", zero: "readyReplicas", knows: []string{"fullyLabeledReplicas"}},
	{status: []string{"desiredNumberScheduled"}, have: []string{"numberReady", "numberAvailable", "updatedNumberScheduled"},
		short: "numberUnavailable"},
	{status: []string{"expectedMachines", "desiredHealthy"}, have: []string{"currentHealthy"},
		zero: "currentHealthy", knows: []string{"expectedMachines", "desiredHealthy"}},
	{spec: []string{"instances"}, status: []string{"instances"}, have: []string{"readyInstances", "instances"}},
	{spec: []string{"nodes", "nodeCount"}, status: []string{"expectedNodes", "desiredNodes"}, have: []string{"readyNodes", "availableNodes",
		"nodes"},
		zero: "availableNodes", knows: []string{"expectedNodes", "desiredNodes"}},
	{spec: []string{"members"}, status: []string{"members"}, have: []string{"readyMembers", "members"}},
}

// familyKeys are the fields of the status that have such numbers.
var familyKeys = func() map[string]bool {
	keys := map[string]bool{}
	for i := range families {
		f := &families[i]
		for _, key := range slices.Concat(f.status, f.have, f.knows) {
			keys[key] = true
		}
		keys[f.short] = true
	}
	delete(keys, "")
	return keys
}()

// counts compares wanted with existing numbers.
func (ev *evidence) counts() {
	for i := range families {
		ev.countFamily(&families[i])
	}
}

func (ev *evidence) countFamily(f *family) {
	want, asked := firstNumber(ev.Spec, f.spec)
	if !asked {
		var ok bool
		if want, ok = firstNumber(ev.Status, f.status); !ok {
			return
		}
	}
	strategy := ev.Spec.Get("updateStrategy")
	partition := strategy.Get("partition").NumberOr(strategy.Get2("rollingUpdate", "partition").NumberOr(0))
	for _, field := range f.have {
		n := ev.Status.Get(field)
		have, ok := n.Number()
		if !ok && (field != f.zero || n.Kind() != object.None || !ev.omitsZero(f)) {
			continue
		}
		if !asked && slices.Contains(f.status, field) {
			continue // it is the wanted number
		}
		need := want
		if strings.HasPrefix(field, "updated") {
			if strategy.Get("type").Text() == "OnDelete" {
				continue // pods are updated when a person deletes them
			}
			need -= max(partition, 0) // replicas below a partition are not updated
		}
		ev.claimCount(have, need, object.Counted(field, 0, 0), field, "", n)
	}
	if n := ev.Status.Get(f.short); f.short != "" {
		if short, ok := n.Number(); ok && short > 0 && want > 0 {
			ev.claimCount(want-short, want, object.Counted("available", 0, 0), f.short, "", n)
		}
	}
}

// omitsZero reports whether a status has numbers, but none of those that exist: Go omits zeros.
func (ev *evidence) omitsZero(f *family) bool {
	if _, ok := firstNumber(ev.Status, f.knows); !ok {
		return false
	}
	for _, field := range f.have {
		if field != f.zero && !slices.Contains(f.knows, field) && field != "replicas" && ev.Status.Get(field).Kind() != object.None {
			return false
		}
	}
	return true
}

func firstNumber(n object.Value, fields []string) (int64, bool) {
	for _, field := range fields {
		if v, ok := n.Get(field).Number(); ok {
			return v, true
		}
	}
	return 0, false
}

// claimCount adds the claim about an existing and a wanted number.
func (ev *evidence) claimCount(have, want int64, m object.Message, a, b string, n object.Value) {
	m.N1, m.N2 = have, want
	if have >= want {
		ev.claimHealthy(&claim{rule: countWell, tier: tierCountHealthy, says: answer.Current, reason: "Replicas", msg: m,
			Fact: object.InStatus(a, b, n)})
		return
	}
	r := countShort
	if have == 0 && ev.countsNothing() {
		r = countUnwritten
	}
	ev.claimField(r, "LessReplicas", m, object.InStatus(a, b, n))
}

// countsNothing reports whether all the usual numbers of the status are 0.
func (ev *evidence) countsNothing() bool {
	nothing := true
	ev.Status.Fields(func(key string, n object.Value) bool {
		nothing = n.Kind() != object.Int || !familyKeys[key] || n.NumberOr(0) == 0
		return nothing
	})
	return nothing
}

// countText hands a string of the form 1/3 in a field about replicas to its rule.
func (ev *evidence) countText(a, b string, n object.Value) {
	s := n.Text()
	i := strings.IndexByte(s, '/')
	if i < 1 || len(s) > 24 {
		return
	}
	have, ok := object.ParseNumber(strings.TrimSpace(s[:i]))
	want, ok2 := object.ParseNumber(strings.TrimSpace(s[i+1:]))
	if ok && ok2 {
		ev.claimCount(have, want, object.Counted(a, 0, 0), a, b, n)
	}
}
