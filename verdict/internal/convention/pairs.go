// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"strings"

	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

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
			ev.claimField(countFailed, "SomeFailed", object.CountIs(key, some), object.InStatus(a, b, n))
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
			ev.claimField(pairShort, "LessThanWanted", object.Counted(key, have, want), object.InStatus(a, b, at))
		}
		return
	}
	if have > 0 {
		ev.claimField(pairUnwell, "SomeNotWell", object.CountIs(key, have), object.InStatus(a, b, at))
	}
}

// haveKey returns the noun of a number of healthy things, and whether it is compared with the number of all as well: some of those that are
// available may be in use.
func haveKey(key string) (noun string, all, ok bool) {
	switch {
	case strings.HasPrefix(key, "ready"):
		noun, all = key[len("ready"):], true
	case strings.HasPrefix(key, "healthy"):
		noun, all = key[len("healthy"):], true
	case strings.HasPrefix(key, "available"):
		noun = key[len("available"):]
	default:
		return "", false, false
	}
	return noun, all, noun == "" || lexicon.IsUpper(noun[0])
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
	n.Fields(func(key string, v object.Value) bool {
		if ok && key > name || !wantKey(key, noun, all) {
			return true
		}
		if x, whole := v.Number(); whole && v.Kind() != object.String {
			name, want, ok = key, x, true
		}
		return true
	})
	return want, ok
}

// asked returns the number of a noun for which the spec asks: workers or workerCount for the noun Workers, and replicas or size where there
// is none.
func (ev *evidence) asked(noun string) (want int64, ok bool) {
	if noun == "" {
		return firstNumber(ev.Spec, askedKeys[:])
	}
	one := strings.TrimSuffix(noun, "s")
	ev.Spec.Fields(func(key string, v object.Value) bool {
		rest, same := "", len(key) >= len(one) && key[0] == one[0]|0x20 && key[1:len(one)] == one[1:]
		if same {
			rest = key[len(one):]
		}
		if n, whole := v.Number(); same && whole && v.Kind() == object.Int && (rest == "" || rest == "s" || rest == "Count" || rest == "Replicas") {
			want, ok = max(want, n), true
		}
		return true
	})
	return want, ok
}

// askedKeys are the fields of a spec that ask for a number of members.
var askedKeys = [...]string{"replicas", "size", "count", "instances", "nodes", "members"}

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
