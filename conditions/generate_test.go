// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/rollup"
	. "github.com/tristate/tristate/conditions/wire"
)

// source turns bytes into choices, so that the fuzzer can shrink what it finds. When the bytes are used up every choice
// is the first one.
type source struct{ data []byte }

func (s *source) n(below int) int {
	if len(s.data) == 0 || below <= 1 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % below
}

// one in so many.
func (s *source) one(in int) bool { return s.n(in) == in-1 }

func pick[T any](s *source, from ...T) T { return from[s.n(len(from))] }

// world is one case: a declaration, a stored list, and the facts of a pass.
type world struct {
	kind       *Kind
	stored     []Condition
	generation int64
	facts      []Condition // the generation of a fact is 1 where it is derived
	retract    []string
	gates      []gate
	now        time.Time
}

var typePool = []string{"Ready", "Available", "Degraded", "Reconciling", "Stalled", "Paused", "Deleting", "example.com/Synced", "Old",
	"Former"}

func (s *source) status() Status {
	if s.one(33) {
		return pick[Status](s, "", "Maybe", "true")
	}
	return pick(s, True, False, Unknown)
}

func (s *source) reason() string {
	return pick(s, "Fine", "Broken", "Waiting", "Fine", "Broken", "Waiting", "", "no good", "Broken @ Pod/p", "Renamed",
		strings.Repeat("R", 2000))
}

func (s *source) message() string {
	switch s.n(12) {
	case 1, 2:
		return "words"
	case 3:
		return "* bullet\n  * nested\n\n3 * 4\n"
	case 4:
		return "tab\tand ünïcödé €"
	case 5:
		return "broken \xff utf-8"
	case 6:
		if s.one(4) {
			return strings.Repeat("é", 17000+s.n(3))
		}
	case 7:
		if s.one(4) {
			return strings.Repeat("a€", MaxMessageBytes)
		}
	case 8, 9:
		return "other words"
	}
	return ""
}

func (s *source) condition(types []string) Condition {
	c := cond(pick(s, types...), s.status(), s.reason(), s.message(), int64(s.n(4)+1), pick(s, t0, t1, t2, time.Time{}))
	if s.one(10) {
		c.Severity = pick(s, SeverityInfo, SeverityWarning, SeverityError)
	}
	return c
}

// declaration makes a kind of 1 to 8 types.
func (s *source) declaration() *Kind {
	k := &Kind{Kind: "Thing", Dialect: DialectCore}
	if s.one(8) {
		k.Dialect = DialectKstatus
	}
	names := append([]string(nil), typePool[:8]...)
	if s.one(4) {
		k.Retired = []string{"Former", "Old"}
	}
	for range s.n(8) + 1 {
		i := s.n(len(names))
		t := Type{
			Name: names[i], Polarity: pick(s, Positive, Negative, Positive, Neutral), Role: pick(s, RoleDependent, RoleInformational, RoleDependent),
			Presence: pick(s, PresenceAlways, PresenceAlways, PresenceWhenTrue, PresenceWhenKnown, PresenceOnceTrue),
			Unreported: pick(s, UnreportedKeep, UnreportedKeep, UnreportedUnknown,
				UnreportedFail),
			Optional: s.one(4), Imported: s.one(3), Foreign: s.one(8), StartHealthy: s.one(3),
			Lifecycle: pick(s, "", "", "", LifecycleMonotonic, LifecycleTerminal, LifecycleCompletion),
		}
		names = append(names[:i], names[i+1:]...)
		if s.one(10) && len(k.Types) == 0 {
			t.Aliases = []string{"Old"}
		}
		for range s.n(4) {
			t.Reasons = append(t.Reasons, Reason{
				Name: pick(s, "Fine", "Broken", "Waiting", "Renamed"), Status: pick(s, True, False, Unknown),
				Class:    pick(s, ClassOK, ClassProgress, ClassTransient, ClassTerminal, ClassSuspended),
				Severity: pick(s, "", SeverityError, SeverityWarning, SeverityInfo),
			})
			if r := &t.Reasons[len(t.Reasons)-1]; r.Class == ClassTransient && r.Severity == SeverityWarning {
				r.Retry = time.Minute
			}
			if s.one(6) {
				t.Reasons[len(t.Reasons)-1].Deadline = &Deadline{After: pick(s, time.Second, time.Hour),
					Since: pick(s, SinceCell, SinceGeneration, SinceProgress),
					Then:  pick(s, "", "Broken", "Waiting")}
			}
		}
		if s.one(3) && !t.Foreign {
			t.Role, t.Summary = RoleSummary, &Summary{Counter: s.one(3), Missing: string(pick(s, "", MissingSkip, MissingUnknown))}
			for range s.n(3) {
				t.Summary.Of = append(t.Summary.Of, pick(s, typePool[:8]...))
			}
		}
		k.Types = append(k.Types, t)
	}
	for i := range k.Types { // what a wrong deadline comes to depends on more than the stored list
		for j := range k.Types[i].Reasons {
			if k.Types[i].WaitErrors(j, false) != nil {
				k.Types[i].Reasons[j].Deadline = nil
			}
		}
	}
	return k
}

// world makes a case.
func (s *source) world() world {
	w := world{kind: s.declaration(), generation: int64(s.n(4) + 1), now: pick(s, t1, t2, t2.Add(123456789))}
	for range s.n(10) {
		c := s.condition(typePool)
		if Find(w.stored, c.Type) < 0 || s.one(20) {
			w.stored = append(w.stored, c)
		}
	}
	var names []string
	for i := range w.kind.Types {
		names = append(names, w.kind.Types[i].Name)
	}
	names = append(names, names...)
	names = append(names, "NotDeclared", "Old")
	for range s.n(12) {
		c := s.condition(names)
		c.ObservedGeneration = int64(s.n(2))
		w.facts = append(w.facts, c)
	}
	for range s.n(3) {
		w.retract = append(w.retract, pick(s, names...))
	}
	for range s.n(4) {
		w.gates = append(w.gates, gate{conditionType: pick(s, "Ready", "Degraded", "Former", "Gate"), polarity: pick(s, Positive, Negative, "")})
	}
	return w
}

// pass runs the facts of the case against a stored list.
func (w world) pass(stored []Condition, now time.Time) Result {
	w.now = now
	return w.begin(stored).Commit()
}

// begin begins a pass with the facts.
func (w world) begin(stored []Condition) *Pass {
	p := w.kind.Begin(w.generation, stored, w.now)
	for _, f := range w.facts {
		if f.ObservedGeneration == 1 {
			p.ReportCondition(f)
		} else {
			p.Report(f.Type, f.Status, f.Reason, f.Message)
		}
	}
	for _, r := range w.retract {
		p.Remove(r)
	}
	for _, g := range w.gates {
		p.Gate(g.conditionType, g.polarity)
	}
	return p
}

// inputs makes the inputs of a merge.
func (s *source) inputs() []Input {
	out := make([]Input, s.n(9))
	for i := range out {
		in := &out[i]
		in.Type = pick(s, typePool...)
		in.Polarity = pick(s, Positive, Negative, Positive, Neutral)
		in.Object = ObjectRef{Kind: pick(s, "Machine", "Pod"), Namespace: pick(s, "a", "b"), Name: pick(s, "m-1", "m-2", "m-3", "m-4", "m-5", "m-6")}
		in.Stale, in.Optional = s.one(8), s.one(6)
		in.Severity = pick(s, "", SeverityError, SeverityWarning, SeverityInfo)
		if !s.one(6) {
			c := s.condition([]string{in.Type})
			in.Condition = &c
		}
	}
	return out
}

func (s *source) options() Options {
	o := Options{
		Dialect: pick(s, DialectCore, DialectCore, DialectCAPIv1beta1), Missing: pick(s, "", MissingSkip, MissingUnknown),
		AtLeast: pick(s, 0, 0, 0, 1, 3), AtMost: pick(s, 0, 0, 1, 2), Counter: s.one(4), SourceRef: s.one(4),
		Target: Type{Name: "Top", Polarity: pick(s, Positive, Negative), Imported: s.one(2)},
	}
	for range s.n(4) {
		o.Target.Reasons = append(o.Target.Reasons, Reason{Name: pick(s, "Fine", "Broken", "Waiting"), Status: pick(s, True, False, Unknown)})
	}
	return o
}

// law is checked for random cases in every run of the tests, and by the fuzzer for as long as it is let.
func law(f *testing.F, check func(*testing.T, *source)) {
	f.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		data := make([]byte, 300)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { check(t, &source{data}) })
}

// badnessOf orders statuses of a polarity: 0 healthy, 1 Unknown or absent, 2 unhealthy.
func badnessOf(c *Condition, p Polarity) int {
	switch {
	case c == nil:
		return 1
	case p.Good(c.Status):
		return 0
	case p.Bad(c.Status):
		return 2
	}
	return 1
}

func byType(a, b Condition) int {
	return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(string(a.Status), string(b.Status)), strings.Compare(a.Reason, b.Reason),
		strings.Compare(a.Message, b.Message))
}
