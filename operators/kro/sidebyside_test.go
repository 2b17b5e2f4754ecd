// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/render"
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
		o := s.settle(t, step, wants(step))
		if step.also != nil {
			step.also(t, s)
			o = s.settle(t, step, wants(step))
		}
		out[i] = outcome{ready: says(o, "Ready"), spread: int(s.counts.status.Load() - before)}
		if c := find(o, "Ready"); c != nil && c.Status == "True" {
			for _, need := range step.needs {
				out[i].wrong = out[i].wrong || !current(s.read(t, need))
			}
		}
		if s.name == "kro" {
			out[i].read = s.reading(t, step, out[i])
		}
		if step.act {
			continue
		}
		for _, w := range s.counts.take() {
			// kro goes on about definitions of earlier steps; only the object of this step is held against it.
			if w.status == "False" && !slices.Contains(step.false, w.conditionType) && (s.name == "tristate" || strings.Contains(w.path, "/"+step.at.GetName()+"/")) {
				out[i].rash = append(out[i].rash, w.conditionType+" "+w.reason+": "+w.message)
			}
		}
	}
	return out
}

// reading returns what tristate status says of the object of a step on kro 0.9.4, and checks it. Where a child decides, tree and why name it as the
// cause, and wait is not met.
func (s *side) reading(t *testing.T, step step, o outcome) string {
	t.Helper()
	kind, name := strings.ToLower(step.at.GetKind()), step.at.GetName()
	var got string
	s.eventually(t, func() error { // a Deployment takes some time to fail
		_, out := s.tristate(t, "status", kind+"/"+name, "-o", "json")
		var list render.VerdictList
		if err := json.NewDecoder(strings.NewReader(out)).Decode(&list); err != nil || len(list.Items) != 1 {
			return fmt.Errorf("%s: tristate status: %v: %s", step.name, err, out)
		}
		item := list.Items[0]
		got = strings.TrimSpace(item.Verdict + " " + item.Reason)
		switch {
		case !strings.HasPrefix(got, step.read):
			return fmt.Errorf("%s: tristate status says %q, want %q: %s", step.name, got, step.read, out)
		case o.wrong && item.Verdict == "Current":
			return fmt.Errorf("%s: tristate status says Current over an object that is not ready: %s", step.name, out)
		case item.Verdict == "Failed" && !step.act && strings.HasPrefix(o.ready, "True"):
			return fmt.Errorf("%s: tristate status says %q, and nobody has to act: %s", step.name, got, out)
		}
		return nil
	})
	if step.read == "Current" {
		if code, out := s.tristate(t, "wait", kind+"/"+name, "--timeout", "2m"); code != exit.OK {
			t.Errorf("%s: tristate wait ends with %d:\n%s", step.name, code, out)
		}
	}
	if !strings.Contains(got, " Child") {
		return got
	}
	want := map[string]int{"InProgress": exit.Timeout, "Failed": exit.Failed}[strings.Fields(got)[0]]
	if code, out := s.tristate(t, "wait", kind+"/"+name, "--timeout", "0"); code != want {
		t.Errorf("%s: tristate wait ends with %d, want %d:\n%s", step.name, code, want, out)
	}
	if _, out := s.tristate(t, "tree", kind+"/"+name); !strings.Contains(out, "\nbecause ") {
		t.Errorf("%s: tristate tree names no cause:\n%s", step.name, out)
	}
	if _, out := s.tristate(t, "why", kind+"/"+name, "-o", "json"); !strings.Contains(out, `"causes": [`) {
		t.Errorf("%s: tristate why names no cause:\n%s", step.name, out)
	}
	return got
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
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", step.name, mine[i].ready, said, step.read)
	}
	w.Flush()
	fmt.Fprintf(&b, "\nReady=True over an object that is not ready: Tristate in %d steps of %d, kro in %d,\nkro read by tristate status in %d.\n", wrong, len(all), kroWrong, misread)
	fmt.Fprintf(&counts, "steps in which a status was False although nobody had to act: Tristate %d, kro %d\n", rash, kroRash)
	return b.String(), counts.String()
}
