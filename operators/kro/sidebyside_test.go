// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// current is the truth about an object, by the rules of kstatus and not by those of the engine that the operator asks.
func current(o *unstructured.Unstructured) bool {
	if o == nil || o.GetDeletionTimestamp() != nil {
		return false
	}
	r, err := verdict.Kstatus(o.Object, time.Now())
	return err == nil && r.Status == verdict.Current
}

// outcome is what one side came to in a step.
type outcome struct {
	ready  string
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
		o := s.settle(t, step, wants(step))
		if step.also != nil {
			step.also(t, s)
			o = s.settle(t, step, wants(step))
		}
		if s.name == "kro" && step.doubt != "" {
			s.doubts(t, step)
		}
		out[i] = outcome{ready: says(o, "Ready"), spread: int(s.counts.status.Load() - before)}
		if c := find(o, "Ready"); c != nil && c.Status == "True" {
			for _, need := range step.needs {
				out[i].wrong = out[i].wrong || !current(s.read(t, need))
			}
		}
		if step.act {
			continue
		}
		for _, w := range s.counts.take() {
			// kro goes on about definitions of earlier steps; only the object of this step is held against it.
			if w.status == "False" && (s.name == "tristate" || strings.Contains(w.path, "/"+step.at.GetName()+"/")) {
				out[i].rash = append(out[i].rash, w.conditionType+" "+w.reason+": "+w.message)
			}
		}
	}
	return out
}

// doubts checks how Tristate reads an instance of kro 0.9.4 that claims to be ready: its resources speak against it.
func (s *side) doubts(t *testing.T, step step) {
	t.Helper()
	s.eventually(t, func() error { // a Deployment takes some time to fail
		if _, out := s.tristate(t, "tree", "webapp/"+step.at.GetName()); !strings.Contains(out, step.doubt) {
			return fmt.Errorf("tristate tree does not say %q:\n%s", step.doubt, out)
		}
		if !step.act {
			return nil
		}
		if code, out := s.tristate(t, "status", "webapp/"+step.at.GetName(), "--strict"); code != 1 {
			return fmt.Errorf("tristate status --strict ends with %d:\n%s", code, out)
		}
		return nil
	})
}

// settle waits until a side says what is known of it.
func (s *side) settle(t *testing.T, step step, want map[string]string) *unstructured.Unstructured {
	t.Helper()
	var o *unstructured.Unstructured
	started := time.Now()
	defer func() {
		t.Logf("%s: %s: %s after %s", s.name, step.name, says(o, "Ready"), time.Since(started).Round(100*time.Millisecond))
	}()
	o = s.expect(t, step.at, want)
	if s.name == "tristate" && step.message != "" {
		s.eventually(t, func() error {
			o = s.read(t, step.at)
			if c := find(o, "Ready"); !strings.Contains(c.Message, step.message) {
				return fmt.Errorf("%s: Ready says %q, want it to have %q", step.name, c.Message, step.message)
			}
			return nil
		})
	}
	return o
}

// TestSideBySide: the same definitions and faults, with the operator and with kro 0.9.4, each on a control plane of its own. In no step is
// our Ready True while an object that counts is not as it should be, and nothing of ours is False where nobody has to act.
func TestSideBySide(t *testing.T) {
	all := steps(t)
	var mine, kros []outcome
	t.Run("tristate", func(t *testing.T) {
		mine = play(t, start(t, "tristate", 1, ours), all, func(s step) map[string]string { return s.ours })
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
	fmt.Fprintln(w, "STEP\tTRISTATE\tKRO 0.9.4")
	var wrong, rash, kroWrong, kroRash int
	for i, step := range all {
		said := kros[i].ready
		if kros[i].wrong {
			said += "  (wrong)"
			kroWrong++
		}
		if mine[i].wrong {
			wrong++
		}
		rash += min(len(mine[i].rash), 1)
		kroRash += min(len(kros[i].rash), 1)
		fmt.Fprintf(w, "%s\t%s\t%s\n", step.name, mine[i].ready, said)
	}
	w.Flush()
	fmt.Fprintf(&b, "\nReady=True over an object that is not ready: Tristate in %d steps of %d, kro in %d.\n", wrong, len(all), kroWrong)
	fmt.Fprintf(&counts, "steps in which a status was False although nobody had to act: Tristate %d, kro %d\n", rash, kroRash)
	return b.String(), counts.String()
}
