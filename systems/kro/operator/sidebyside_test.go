// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/export/kstatus"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/systems/kro/operator/internal/operator"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// current is the truth about an object, by the rules of kstatus and not by those of the engine that the operator asks.
func current(o *unstructured.Unstructured) bool {
	if o == nil || o.GetDeletionTimestamp() != nil {
		return false
	}
	return kstatus.Engine{}.Judge(o.Object, time.Now()).Status == verdict.Current
}

// outcome is what one side came to in a step.
type outcome struct {
	ready  string
	read   string   // on kro 0.9.4: what tristate status says of the object
	wrong  bool     // Ready=True over an object that counts and is not as it should be
	rash   []string // types that were False although nobody had to act
	spread int      // status requests
}

// play runs all steps on one side.
func play(t *testing.T, s *side, steps []step, wants func(step) map[string]string) []outcome {
	t.Helper()
	out := make([]outcome, len(steps))
	for i, step := range steps {
		s.counts.take()
		before := s.counts.status.Load()
		step.do(t, s)
		if strings.HasPrefix(step.ours["Ready"], "True") { // what counts becomes ready in this step: then True is no mistake of either
			for _, need := range step.needs {
				s.eventually(t, func() error {
					if need.GetKind() != "CustomResourceDefinition" && !current(s.read(t, need)) {
						return fmt.Errorf("%s is not ready", need.GetName())
					}
					return nil
				})
			}
		}
		s.settle(t, step, wants(step))
		if step.check != nil {
			step.check(t, s)
			s.settle(t, step, wants(step))
		}
		out[i].spread = int(s.counts.status.Load() - before)
		at := s.moment(t, step)
		if s.name == "kro" {
			out[i].read, at = s.reading(t, step)
		}
		out[i].ready, out[i].wrong = at.ready, at.wrong
		if step.person {
			continue
		}
		for _, w := range s.counts.take() {
			// kro goes on about definitions of earlier steps; only the object of this step is held against it.
			if w.status == "False" && !slices.Contains(step.mayBeFalse, w.conditionType) &&
				(s.name == "tristate" || strings.Contains(w.path, "/"+step.at.GetName()+"/")) {
				out[i].rash = append(out[i].rash, w.conditionType+" "+w.reason+": "+w.message)
			}
		}
	}
	return out
}

// moment is what a step's object and the objects that it needs are at one time.
type moment struct {
	ready string
	wrong bool
	state string // generation, deletion and status of all of them, to notice a change
}

func (s *side) moment(t *testing.T, step step) moment {
	t.Helper()
	o := s.read(t, step.at)
	m := moment{ready: says(o, "Ready")}
	isTrue := find(o, "Ready") != nil && find(o, "Ready").Status == "True"
	var state []any
	for _, need := range step.needs {
		n := s.read(t, need)
		m.wrong = m.wrong || isTrue && !current(n)
		state = append(state, essence(n))
	}
	text, err := json.Marshal(append(state, essence(o)))
	if err != nil {
		t.Fatal(err)
	}
	m.state = string(text)
	return m
}

func essence(o *unstructured.Unstructured) []any {
	if o == nil {
		return nil
	}
	return []any{o.GetUID(), o.GetGeneration(), o.GetDeletionTimestamp(), o.Object["status"]}
}

// reading returns what tristate status says of the object of a step on kro 0.9.4, checks it, and returns what the object was at that time:
// a reading during which the object or one that it needs changed is repeated. Where a child decides, tree and why name it as the cause, and
// wait is not met.
func (s *side) reading(t *testing.T, step step) (string, moment) {
	t.Helper()
	ref := strings.ToLower(step.at.GetKind()) + "/" + step.at.GetName()
	var got string
	var at moment
	s.eventually(t, func() error { // a Deployment takes some time to fail
		at = s.moment(t, step)
		err := s.readOnce(t, step, ref, at, &got)
		if s.moment(t, step).state != at.state {
			return fmt.Errorf("%s: %s changes while it is read", step.name, ref)
		}
		return err
	})
	return got, at
}

// readOnce is one reading; it sets got.
func (s *side) readOnce(t *testing.T, step step, ref string, at moment, got *string) error {
	_, out := s.tristate(t, "status", ref, "-o", "json")
	var list render.VerdictList
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&list); err != nil || len(list.Items) != 1 {
		return fmt.Errorf("%s: tristate status: %v: %s", step.name, err, out)
	}
	item := list.Items[0]
	*got = strings.TrimSpace(string(item.Verdict) + " " + item.Reason)
	switch {
	case !strings.HasPrefix(*got, step.status):
		return fmt.Errorf("%s: tristate status says %q, want %q: %s", step.name, *got, step.status, out)
	case at.wrong && item.Verdict == "Current":
		return fmt.Errorf("%s: tristate status says Current over an object that is not ready: %s", step.name, out)
	case item.Verdict == "Failed" && !step.person && strings.HasPrefix(at.ready, "True"):
		return fmt.Errorf("%s: tristate status says %q, and no person has to act: %s", step.name, *got, out)
	}
	want, timeout := map[verdict.Status]int{verdict.InProgress: exit.Timeout, verdict.Failed: exit.Failed}[item.Verdict], "0"
	if step.status == "Current" {
		want, timeout = exit.OK, "2m"
	} else if !strings.Contains(*got, " Child") {
		return nil
	}
	if code, out := s.tristate(t, "wait", ref, "--timeout", timeout); code != want {
		return fmt.Errorf("%s: tristate wait ends with %d, want %d:\n%s", step.name, code, want, out)
	}
	if !strings.Contains(*got, " Child") {
		return nil
	}
	if _, out := s.tristate(t, "tree", ref); !strings.Contains(out, "\nbecause ") {
		return fmt.Errorf("%s: tristate tree names no cause:\n%s", step.name, out)
	}
	if _, out := s.tristate(t, "why", ref, "-o", "json"); !strings.Contains(out, `"causes": [`) {
		return fmt.Errorf("%s: tristate why names no cause:\n%s", step.name, out)
	}
	return nil
}

// settle waits until a side says what is known of it.
func (s *side) settle(t *testing.T, step step, want map[string]string) {
	t.Helper()
	var o *unstructured.Unstructured
	started := time.Now()
	defer func() {
		t.Logf("%s: %s: %s after %s", s.name, step.name, says(o, "Ready"), time.Since(started).Round(100*time.Millisecond))
	}()
	o = s.expect(t, step.at, want)
	if s.name == "tristate" && step.message != "" {
		s.mentions(t, step.at, "Ready", step.message)
	}
}

// TestSideBySide: the same definitions and faults, with the operator and with kro 0.9.4, each on a control plane of its own. In no step is
// our Ready True while an object that counts is not as it should be, and nothing of ours is False where nobody has to act.
// ResourceGraphReady is about the graph, as in kro: a definition follows its instances with a delay, which would fall into the next step.
func TestSideBySide(t *testing.T) {
	if os.Getenv("TRISTATE_PARTNERS") != "1" {
		t.Skip("runs with make compare in this folder")
	}
	all := steps(t)
	var mine, kros []outcome
	t.Run("tristate", func(t *testing.T) {
		mine = play(t, start(t, "tristate", 1, configured(operator.Options{GraphOnly: true})), all, func(s step) map[string]string { return s.ours })
	})
	t.Run("kro", func(t *testing.T) {
		kros = play(t, start(t, "kro", 1, upstream(1, 0)), all, func(s step) map[string]string { return s.theirs })
	})
	if mine == nil || kros == nil {
		t.Skip("one side did not run")
	}
	text, counts := table(all, mine, kros)
	t.Log("\n" + text + counts)
	onPage(t, "sidebyside", "```text\n"+text+"```\n")
	for i, step := range all {
		if mine[i].wrong {
			t.Errorf("%s: Ready is True over an object that is not as it should be", step.name)
		}
		if len(mine[i].rash) > 0 {
			t.Errorf("%s: nobody has to act, and there were: %s", step.name, strings.Join(mine[i].rash, "; "))
		}
	}
}

// table is the comparison for people: the steps, and counts.
func table(all []step, mine, kros []outcome) (string, string) {
	var b, counts strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "STEP\tTRISTATE\tKRO 0.9.4\tKRO, READ BY TRISTATE")
	var wrong, rash, kroWrong, kroRash, misread int
	for i, step := range all {
		said := cmp.Or(kros[i].ready, "no Ready") // conditions of one's own stand in for those of kro
		if kros[i].wrong {
			said += "  (wrong)"
			kroWrong++
			if strings.HasPrefix(kros[i].read, "Current") {
				misread++
			}
		}
		if mine[i].wrong {
			wrong++
		}
		rash += min(len(mine[i].rash), 1)
		kroRash += min(len(kros[i].rash), 1)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", step.name, mine[i].ready, said, step.status)
	}
	w.Flush()
	fmt.Fprintf(&b, "\nReady=True over an object that is not ready: Tristate in %d steps of %d, kro in %d,\nkro read by tristate status in %d.\n", wrong, len(all), kroWrong, misread)
	fmt.Fprintf(&counts, "steps in which a status was False although nobody had to act: Tristate %d, kro %d\n", rash, kroRash)
	return b.String(), counts.String()
}
