// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
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
		ev.claimCount(have, need, field, field, "", n)
	}
	if n := ev.Status.Get(f.short); f.short != "" {
		if short, ok := n.Number(); ok && short > 0 && want > 0 {
			ev.claimCount(want-short, want, "available", f.short, "", n)
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

// claimCount adds the claim about an existing and a wanted number of things.
func (ev *evidence) claimCount(have, want int64, of, a, b string, n object.Value) {
	m := object.Counted.Count(of, have, want)
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
	for key, n := range ev.Status.Fields() {
		if n.Kind() == object.Int && familyKeys[key] && n.NumberOr(0) != 0 {
			return false
		}
	}
	return true
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
		ev.claimCount(have, want, a, a, b, n)
	}
}

// countPair compares a number with the others of its map, the status or a component, by its name: readyX and healthyX with desiredX,
// expectedX, totalX or X, or that of the spec, and availableX with desiredX or expectedX, for any noun X or none. Numbers of unhealthy
// things count too: unhealthyX, notReadyX. A summary that is True outweighs all of them; in a task, which ends, they mean nothing.
func (ev *evidence) countPair(a, b, key string, n, beside object.Value) {
	noun, all, ok := haveKey(key)
	if ev.isTask() {
		return
	}
	if !ok && !ev.countsUnhealthy(key) {
		if some, _ := n.Number(); some > 0 && n.Kind() != object.String && failedKey(key) {
			ev.claimField(countFailed, "SomeFailed", object.CountIs.Count(key, some, 0), object.InStatus(a, b, n))
		}
		return
	}
	have, _ := n.Number()
	at := n
	if b != "" && b != key {
		at = beside // the path names the component
	}
	if ok {
		want, ok := wanted(beside, noun, all)
		if !ok && all && b == "" {
			want, ok = ev.asked(noun)
		}
		if ok && have < want {
			ev.claimField(pairShort, "LessThanWanted", object.Counted.Count(key, have, want), object.InStatus(a, b, at))
		}
		return
	}
	if have > 0 {
		ev.claimField(pairUnwell, "SomeNotWell", object.CountIs.Count(key, have, 0), object.InStatus(a, b, at))
	}
}

// haveKey returns the noun of a number of healthy things, and whether it is compared with the number of all as well: some of those that are
// available may be in use.
func haveKey(key string) (noun string, all, ok bool) {
	for _, start := range [...]string{"ready", "healthy", "available"} {
		if noun, ok = strings.CutPrefix(key, start); ok {
			return noun, start != "available", noun == "" || lexicon.IsUpper(noun[0])
		}
	}
	return "", false, false
}

// failedKey reports whether a number counts things that failed (failed, failedSites) rather than failures over time.
func failedKey(key string) bool {
	noun, ok := strings.CutPrefix(key, "failed")
	return ok && (noun == "" || lexicon.IsUpper(noun[0]) && noun[len(noun)-1] == 's' && noun != "Attempts" && noun != "Retries" && noun != "Times" &&
		!strings.HasSuffix(noun, "Attempts"))
}

// wanted returns the wanted number of a noun: of several fields the first by name.
func wanted(n object.Value, noun string, all bool) (want int64, ok bool) {
	name := ""
	for key, v := range n.Fields() {
		if ok && key > name || !wantKey(key, noun, all) {
			continue
		}
		if x, whole := v.Number(); whole && v.Kind() != object.String {
			name, want, ok = key, x, true
		}
	}
	return want, ok
}

// asked returns the number of a noun for which the spec asks: workers or workerCount for the noun Workers, and replicas or size where there
// is none.
func (ev *evidence) asked(noun string) (want int64, ok bool) {
	if noun == "" {
		return firstNumber(ev.Spec, askedKeys)
	}
	one := strings.TrimSuffix(noun, "s")
	for key, v := range ev.Spec.Fields() {
		rest, same := "", len(key) >= len(one) && key[0] == one[0]|0x20 && key[1:len(one)] == one[1:]
		if same {
			rest = key[len(one):]
		}
		if n, whole := v.Number(); same && whole && v.Kind() == object.Int && (rest == "" || rest == "s" || rest == "Count" || rest == "Replicas") {
			want, ok = max(want, n), true
		}
	}
	return want, ok
}

// askedKeys are the fields of a spec that ask for a number of members.
var askedKeys = []string{"replicas", "size", "count", "instances", "nodes", "members"}

func wantKey(key, noun string, all bool) bool {
	if noun == "" && key == "replicas" {
		return true
	}
	for i, start := range [...]string{"desired", "expected", "total"} {
		if strings.HasPrefix(key, start) && key[len(start):] == noun {
			return all || i < 2
		}
	}
	return all && noun != "" && len(key) == len(noun) && key[0] == noun[0]|0x20 && key[1:] == noun[1:]
}

var unhealthyWords = lexicon.SetOf(lexicon.List("unhealthyWords"))

// countsUnhealthy reports whether a number counts unhealthy things: podsUnhealthy, notReady.
func (ev *evidence) countsUnhealthy(key string) bool {
	t := lexicon.Tokenizer{Text: key}
	not := false
	for w := t.Next(); w != nil; w = t.Next() {
		if unhealthyWords.Has(w) || not && ev.Words.MeaningOfWord(w) == lexicon.Good {
			return true
		}
		not = string(w) == "not"
	}
	return false
}
