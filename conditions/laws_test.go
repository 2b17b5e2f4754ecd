// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/rollup"
	. "github.com/tristate/tristate/conditions/wire"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
)

// The laws of this file hold for every declaration, stored list and set of facts.

// Permutation: neither the order of the calls nor that of the stored list changes what is committed.
func FuzzLawPermutation(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		w := s.world()
		want := w.pass(w.stored, w.now)
		r := rand.New(rand.NewPCG(uint64(s.n(256)), 7))
		r.Shuffle(len(w.facts), func(i, j int) { w.facts[i], w.facts[j] = w.facts[j], w.facts[i] })
		r.Shuffle(len(w.retract), func(i, j int) { w.retract[i], w.retract[j] = w.retract[j], w.retract[i] })
		r.Shuffle(len(w.gates), func(i, j int) { w.gates[i], w.gates[j] = w.gates[j], w.gates[i] })
		got := w.pass(w.stored, w.now)
		same(t, "conditions", want.Conditions(), got.Conditions())
		same(t, "errors", texts(want.Errors), texts(got.Errors))
		same(t, "transitions", want.Transitions, got.Transitions)
		for _, typ := range w.kind.Types {
			same(t, "causes of "+typ.Name, want.Causes(typ.Name), got.Causes(typ.Name))
		}
		for i := range w.stored { // of a repeated type the first entry counts
			if t := Position(w.kind, w.stored[i].Type); Find(w.stored, w.stored[i].Type) < i || t >= 0 &&
				slices.ContainsFunc(w.stored[:i], func(c Condition) bool { return Position(w.kind, c.Type) == t }) {
				return
			}
		}
		shuffled := slices.Clone(w.stored)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		got = w.pass(shuffled, w.now)
		a, b := slices.Clone(want.Conditions()), slices.Clone(got.Conditions())
		slices.SortStableFunc(a, byType)
		slices.SortStableFunc(b, byType)
		same(t, "conditions of a shuffled list", a, b)
	})
}

// Idempotence: a second pass over the same facts changes nothing, at any later time before the one at which the first asks to be repeated.
func FuzzLawIdempotence(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		w := s.world()
		first := w.pass(w.stored, w.now)
		later := w.now.Add(time.Hour)
		if at := first.RequeueAt; !at.IsZero() && !later.Before(at) {
			later = at.Add(-time.Second)
		}
		second := w.pass(first.Conditions(), later)
		if second.Changed {
			same(t, "conditions of a second pass", first.Conditions(), second.Conditions())
			t.Errorf("a second pass changes something; transitions %v", second.Transitions)
		}
	})
}

// Monotonicity: worsening one input never improves the top level.
func FuzzLawMonotonicity(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		in, o := s.inputs(), s.options()
		if len(in) == 0 {
			return
		}
		before, there := Summarize(in, o)
		x := &in[s.n(len(in))]
		if x.Condition == nil || x.Stale || x.Polarity == Neutral || !ValidStatus(x.Condition.Status) {
			return
		}
		worse := *x.Condition
		switch badnessOf(x.Condition, x.Polarity) {
		case 0:
			worse.Status = pick(s, Unknown, opposite(worse.Status))
		case 1:
			worse.Status = statusOf(weightUnhealthy, x.Polarity)
		}
		x.Condition = &worse
		after, still := Summarize(in, o)
		if there && (!still || badnessOf(&after.Condition, o.Target.Polarity) < badnessOf(&before.Condition, o.Target.Polarity)) {
			t.Errorf("%s=%s makes the top %s instead of %s", x.Type, worse.Status, after.Condition.Status, before.Condition.Status)
		}
	})
}

// A summary is never healthy over an unhealthy or unknown dependent, unless its lifecycle says that it stays. A dependent
// that cannot change does not go stale.
func FuzzLawSummaryNeverTooGood(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		w := s.world()
		got := w.pass(w.stored, w.now)
		find := func(name string) *Condition {
			if i := Find(got.Conditions(), name); i >= 0 {
				return &got.Conditions()[i]
			}
			return nil
		}
		for i := range w.kind.Types {
			top := &w.kind.Types[i]
			c := find(top.Name)
			if top.Summary == nil || top.Lifecycle != "" || c == nil || !top.Polarity.Good(c.Status) || slices.Contains(got.Superseded, top.Name) {
				continue
			}
			for j := range w.kind.Types {
				below := &w.kind.Types[j]
				counts := slices.Contains(top.Summary.Of, below.Name) || len(top.Summary.Of) == 0 && below.Role == RoleDependent
				d := find(below.Name)
				if !counts || i == j || d == nil || below.Polarity == Neutral || slices.Contains(got.Superseded, below.Name) {
					continue
				}
				stale := d.ObservedGeneration != 0 && d.ObservedGeneration < w.generation && !Final(below.Lifecycle, d.Status)
				if !below.Polarity.Good(d.Status) || stale {
					t.Errorf("%s=%s over %s=%s at generation %d of %d", top.Name, c.Status, d.Type, d.Status, d.ObservedGeneration, w.generation)
				}
			}
		}
	})
}

// Polarity duality: turning the polarity and the status of a type over together changes nothing but the status.
func FuzzLawPolarityDuality(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		in, o := s.inputs(), s.options()
		want, there := Aggregate(in, o)
		for i := range in {
			if in[i].Polarity == Neutral || s.one(2) {
				continue
			}
			in[i].Polarity = turned(in[i].Polarity)
			if in[i].Condition != nil {
				c := *in[i].Condition
				c.Status = opposite(c.Status)
				in[i].Condition = &c
			}
		}
		got, still := Aggregate(in, o)
		same(t, "result", there, still)
		same(t, "condition", want.Condition, got.Condition)
		if o.Target.Reasons = nil; o.Target.Polarity != Neutral { // declared reasons go with a status
			want, _ = Aggregate(in, o)
			o.Target.Polarity = turned(o.Target.Polarity)
			got, _ = Aggregate(in, o)
			want.Condition.Status = opposite(want.Condition.Status)
			same(t, "condition of a turned target", want.Condition, got.Condition)
		}
	})
}

func turned(p Polarity) Polarity {
	if p == Negative {
		return Positive
	}
	return Negative
}

// Cap: messages are valid UTF-8 within the limit; what is kept of a long one is its beginning.
func FuzzLawCap(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		w := s.world()
		for _, c := range w.pass(w.stored, w.now).Conditions() {
			if i := Position(w.kind, c.Type); i < 0 || w.kind.Types[i].Foreign || slices.Contains(w.stored, c) {
				continue
			}
			if len(c.Message) > MaxMessageBytes || !utf8.ValidString(c.Message) {
				t.Errorf("%s has a message of %d bytes, valid %t", c.Type, len(c.Message), utf8.ValidString(c.Message))
			}
		}
		text, limit := strings.ToValidUTF8(s.message(), "\uFFFD"), s.n(250)*140
		cut := CutMessage(text, limit)
		if len(cut) > limit || !utf8.ValidString(cut) {
			t.Errorf("%d bytes are cut at %d to %d, valid %t", len(text), limit, len(cut), utf8.ValidString(cut))
		}
		if kept, _, was := strings.Cut(cut, "... ("); was && !strings.HasPrefix(text, kept) || !was && cut != "" && cut != text {
			t.Errorf("what is kept is not the beginning: %.60q", cut)
		}
	})
}

// Time: it moves when, and only when, the stored status differs from the committed one, or the stored time is in the future.
func FuzzLawTime(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		w := s.world()
		got := w.pass(w.stored, w.now)
		for _, c := range got.Owned() {
			t0, was := storedOf(w, c.Type)
			switch {
			case !was || t0.Status != c.Status || t0.LastTransitionTime.Time.After(w.now.Add(MaxClockSkew)) && t0.ObservedGeneration <= w.generation:
				if !c.LastTransitionTime.Time.Equal(w.now.Truncate(time.Second)) {
					t.Errorf("%s went from %q to %s, and its time is %s", c.Type, t0.Status, c.Status, c.LastTransitionTime)
				}
			case !t0.LastTransitionTime.IsZero() && !c.LastTransitionTime.Time.Equal(t0.LastTransitionTime.Time):
				t.Errorf("%s stayed %s, and its time moved", c.Type, c.Status)
			}
		}
	})
}

// Generation: it never decreases and never exceeds what was reconciled.
func FuzzLawGeneration(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		w := s.world()
		got := w.pass(w.stored, w.now)
		for _, c := range got.Owned() {
			old, _ := storedOf(w, c.Type)
			if c.ObservedGeneration < old.ObservedGeneration || c.ObservedGeneration > max(old.ObservedGeneration, w.generation) {
				t.Errorf("%s goes from generation %d to %d in a pass over %d", c.Type, old.ObservedGeneration, c.ObservedGeneration, w.generation)
			}
			if newer := old.ObservedGeneration > w.generation; newer && (c.Status != old.Status || c.Reason != old.Reason ||
				c.Message != old.Message) {
				t.Errorf("%s was observed at generation %d, and a pass over %d changes it", c.Type, old.ObservedGeneration, w.generation)
			}
		}
	})
}

// storedOf is the stored entry that counts for an owned type.
func storedOf(w world, name string) (Condition, bool) {
	if i := Find(w.stored, name); i >= 0 {
		return w.stored[i], true
	}
	for _, alias := range w.kind.Types[Position(w.kind, name)].Aliases {
		if i := Find(w.stored, alias); i >= 0 {
			return w.stored[i], true
		}
	}
	return Condition{}, false
}

// Foreign: entries of others are bit-identical and in the same order; one's own take no place from them.
func FuzzLawForeign(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		w := s.world()
		before := slices.Clone(w.stored)
		got := w.pass(w.stored, w.now)
		same(t, "the stored list afterwards", before, w.stored)
		theirs := func(list []Condition) []Condition {
			out := []Condition{}
			for _, c := range list {
				if w.kind.OwnedType(c.Type) == "" || slices.Contains(w.kind.Retired, c.Type) && c.ObservedGeneration > w.generation {
					out = append(out, c)
				}
			}
			return out
		}
		same(t, "entries of others", theirs(w.stored), theirs(got.Conditions()))
	})
}

// Validity: what is written is never refused, by the schema of metav1 as read here or by apimachinery's own validation.
func FuzzLawValidity(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		w := s.world()
		got := w.pass(w.stored, w.now)
		if problems := w.kind.Validate(); len(problems) == 0 {
			for _, err := range got.Errors {
				if strings.Contains(err.Error(), "summar") && !strings.Contains(err.Error(), "nothing to summarize") {
					t.Errorf("a declaration without a fault gives %v", err)
				}
			}
		}
		seen := map[string]bool{}
		for i := range got.Owned() {
			c := &got.Owned()[i]
			if seen[c.Type] {
				t.Errorf("%s stands twice in the list", c.Type)
			}
			seen[c.Type] = true
			if slices.Contains(w.stored, *c) {
				continue
			}
			if errs := Validate(c, DialectCore); len(errs) > 0 {
				t.Error(errs)
			}
			for _, err := range validation.ValidateCondition(c.Condition, nil) {
				t.Errorf("apimachinery refuses it: %v", err)
			}
		}
	})
}

// Information: a type that is informational changes no summary.
func FuzzLawInformation(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		w := s.world()
		w.kind.Dialect = DialectCore
		want := w.pass(w.stored, w.now)
		with := *w.kind
		with.Types = append(slices.Clone(w.kind.Types), Type{Name: "Information", Role: RoleInformational})
		w.kind = &with
		w.facts = append(w.facts, cond("Information", s.status(), "Some", s.message(), 0, t0))
		got := slices.DeleteFunc(slices.Clone(w.pass(w.stored, w.now).Conditions()), func(c Condition) bool { return c.Type == "Information" })
		before := slices.Clone(want.Conditions()) // what changes nothing leaves the order of the stored list, too
		slices.SortStableFunc(before, byType)
		slices.SortStableFunc(got, byType)
		if len(before)+len(got) > 0 {
			same(t, "conditions", before, got)
		}
	})
}

// Names: renaming objects, in the same order, changes nothing but the names in the text.
func FuzzLawNames(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		in, o := s.inputs(), s.options()
		want, there := Aggregate(in, o)
		for i := range in {
			in[i].Object.Name = strings.Replace(in[i].Object.Name, "m-", "renamed-", 1)
		}
		got, still := Aggregate(in, o)
		same(t, "result", there, still)
		if len(got.Condition.Message) < MaxMessageBytes/2 {
			back := strings.NewReplacer("renamed-", "m-")
			got.Condition.Message, got.Condition.Reason = back.Replace(got.Condition.Message), back.Replace(got.Condition.Reason)
			same(t, "condition", want.Condition, got.Condition)
		}
	})
}

// What is not asked for causes gives the condition that it gives with them, however many there are.
func FuzzLawNoCauses(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		o, texts, kinds := s.options(), 1+s.n(40), 1+s.n(3)
		o.AtLeast, o.AtMost = s.n(20), s.n(20)
		rng := rand.New(rand.NewPCG(uint64(s.n(256)), 7))
		var in []Input
		for i := range s.n(120) {
			c := &Condition{}
			c.Status, c.Reason, c.Message = pick(s, False, Unknown, True), s.reason(), strconv.Itoa(rng.IntN(texts))
			in = append(in, Input{Object: ObjectRef{Kind: strconv.Itoa(rng.IntN(kinds)), Name: strconv.Itoa(i)}, Type: "Ready", Condition: c})
		}
		want, there := Aggregate(in, o)
		o.NoCauses = true
		got, still := Aggregate(in, o)
		same(t, "result", there, still)
		same(t, "condition", want.Condition, got.Condition)
		same(t, "causes", 0, len(got.Causes))
	})
}
