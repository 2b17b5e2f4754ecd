// SPDX-License-Identifier: Apache-2.0

package kstatus

import (
	"cmp"
	"fmt"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Row is a state of a kind with the answers about it.
type Row struct {
	Kind  string `json:"kind"`
	State string `json:"state"`
	// Verdict is ours, and Want its word of kstatus.
	Verdict verdict.Status `json:"verdict"`
	Want    verdict.Status `json:"want"`
	// Plain is the answer of kstatus.
	Plain verdict.Status `json:"plain"`
	// Add is the condition with which kstatus answers Want; empty where Plain is Want, and where no condition could.
	Add Condition `json:"add,omitzero"`
	// Lost: no condition could.
	Lost bool `json:"lost,omitempty"`

	Object map[string]any `json:"-"`
}

// A Condition is to be added by an author. It repeats the reason and message of the state.
type Condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

// Word returns the word of kstatus for a verdict.
func Word(s verdict.Status) verdict.Status {
	switch s {
	case verdict.Current, verdict.Suspended:
		return verdict.Current
	case verdict.Failed, verdict.Degraded, verdict.NotFound:
		return verdict.Failed
	case verdict.Terminating:
		return verdict.Terminating
	}
	return verdict.InProgress
}

// Rows lists the states of a kind, in the order of its catalog.
func Rows(s *export.Subject) []Row {
	var out []Row
	e := pack.Engine(s.Set)
	for _, k := range s.Kinds {
		for _, state := range export.States(s, k) {
			out = append(out, RowOf(s, e, state.Name, state.Object, export.Now))
		}
	}
	return out
}

// RowOf returns the answers about one object of a kind at a moment.
func RowOf(s *export.Subject, e *verdict.Engine, name string, object map[string]any, now time.Time) Row {
	v := e.Judge(object, now)
	r := Row{Kind: s.Name(), State: name, Verdict: v.Status, Want: Word(v.Status), Plain: plain(object), Object: object}
	if r.Plain == r.Want {
		return r
	}
	for _, name := range []string{"Reconciling", "Stalled"} {
		add := Condition{name, "True"}
		if plain(With(object, add, &v)) == r.Want {
			r.Add = add
			return r
		}
	}
	r.Lost = true
	return r
}

// With returns an object with one condition more, before the others. An object without a status is returned as it is: its controller has
// not looked at it.
func With(object map[string]any, add Condition, v *verdict.Verdict) map[string]any {
	status, ok := object["status"].(map[string]any)
	if !ok {
		return object
	}
	out, changed := map[string]any{}, map[string]any{}
	for key, value := range object {
		out[key] = value
	}
	for key, value := range status {
		changed[key] = value
	}
	list, _ := status["conditions"].([]any)
	one := map[string]any{"type": add.Type, "status": add.Status, "reason": cmp.Or(v.Reason, string(v.Status)), "message": v.Message,
		"lastTransitionTime": "2025-12-31T12:00:00Z"}
	changed["conditions"] = append([]any{one}, list...)
	out["status"] = changed
	return out
}

func plain(object map[string]any) verdict.Status {
	return Engine{}.Judge(object, export.Now).Status
}

// Generate writes the rows of kinds on which plain kstatus is not right.
func Generate(subjects []*export.Subject) (*export.Product, error) {
	p := &export.Product{}
	rows := []Row{}
	for _, s := range subjects {
		p.Include(s)
		wrong := 0
		for _, r := range Rows(s) {
			if r.Plain == r.Want {
				continue
			}
			wrong++
			rows = append(rows, r)
			if r.Lost {
				p.Differ(s, "lost", r.State, "kstatus says "+string(r.Plain)+" whatever condition is added; it is "+string(r.Verdict))
			}
		}
		if wrong == 0 {
			p.Notes = append(p.Notes, "plain kstatus is right about every state of "+s.Name())
		}
	}
	p.Differences = export.SortDifferences(p.Differences)
	return p, p.Add("kstatus", "kstatus.yaml", map[string]any{"states": rows})
}

// Rule is the rule of every answer.
const Rule = "kstatus"

// Engine asks kstatus itself, the library of cli-utils with which Helm and Flux wait: for --engine=kstatus, and for comparison. The zero
// value is ready to use.
type Engine struct{}

// Judge returns the status, the message and the reason of kstatus. An object that it cannot read is Unknown, with its error; where it
// panics (a container status that is no object), that is the error. The time of kstatus is the real one.
func (Engine) Judge(object map[string]any, _ time.Time) (v verdict.Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = unreadable(fmt.Errorf("kstatus: %v", p))
		}
	}()
	r, err := status.Compute(&unstructured.Unstructured{Object: object})
	if err != nil {
		return unreadable(err)
	}
	v = verdict.Verdict{Status: verdict.Status(r.Status), Rule: Rule}
	v.Message = r.Message
	v.Ready = v.Status == verdict.Current
	if len(r.Conditions) > 0 {
		v.Reason = r.Conditions[0].Reason
	}
	return v
}

func unreadable(err error) verdict.Verdict {
	v := verdict.Verdict{Status: verdict.Unknown, Rule: Rule, Reason: "Unreadable"}
	v.Message = err.Error()
	return v
}
