// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	. "github.com/tristate/tristate/conditions"
)

func TestClassOf(t *testing.T) {
	terminal := &Fault{Class: ClassTerminal, Err: errors.New("bad spec")}
	transient := &Fault{Err: errors.New("503")}
	tests := map[string]struct {
		err  error
		want Class
	}{
		"none":                     {nil, ClassOK},
		"anything":                 {errors.New("x"), ClassTransient},
		"terminal":                 {terminal, ClassTerminal},
		"wrapped":                  {fmt.Errorf("compile: %w", terminal), ClassTerminal},
		"joined: a retry may help": {errors.Join(terminal, transient), ClassTransient},
		"joined, both terminal":    {errors.Join(terminal, fmt.Errorf("x: %w", terminal)), ClassTerminal},
		"joined with anything":     {errors.Join(terminal, errors.New("x")), ClassTransient},
		"two in one text":          {fmt.Errorf("%w: %w", terminal, errors.New("detail")), ClassTerminal},
		"cancelled":                {fmt.Errorf("list pods: %w", context.Canceled), ""},
		"terminal and cancelled":   {errors.Join(terminal, context.Canceled), ClassTerminal},
		"too late":                 {context.DeadlineExceeded, ClassTransient},
		"a nil fault":              {(*Fault)(nil), ""},
		"a wrapped nil fault":      {fmt.Errorf("x: %w", (*Fault)(nil)), ClassTransient},
		"an empty fault":           {&Fault{}, ClassTransient},
		"waiting":                  {&Fault{Class: ClassProgress, Err: errors.New("no node yet")}, ClassProgress},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { same(t, "class", tt.want, ClassOf(tt.err)) })
	}
}

func TestReportError(t *testing.T) {
	bad := errors.New("bad spec")
	tests := map[string]struct {
		err    error
		want   Condition
		errors []string
	}{
		"anything is transient": {bad, cond("Synced", False, "StoreMissing", "bad spec", 1, t1), nil},
		"terminal":              {&Fault{Class: ClassTerminal, Err: bad}, cond("Synced", False, "AuthFailed", "bad spec", 1, t1), nil},
		"the text around it": {fmt.Errorf("compile: %w", &Fault{Class: ClassTerminal, Err: bad}),
			cond("Synced", False, "AuthFailed", "compile: bad spec", 1, t1), nil},
		"a reason":                 {&Fault{Reason: "AuthFailed", Err: bad}, cond("Synced", False, "AuthFailed", "bad spec", 1, t1), nil},
		"a reason that is Unknown": {&Fault{Reason: "Waiting", Err: bad}, cond("Synced", Unknown, "Waiting", "bad spec", 1, t1), nil},
		"a class without a reason": {&Fault{Class: ClassSuspended, Err: bad}, cond("Synced", False, "StoreMissing", "bad spec", 1, t1), nil},
		"a reason that is not declared": {&Fault{Reason: "Odd", Err: bad}, cond("Synced", False, "StoreMissing", "bad spec", 1, t1),
			[]string{`Thing: condition Synced does not declare False with reason "Odd"`}},
		"joined ones are several causes": {
			errors.Join(bad, &Fault{Class: ClassTerminal, Err: errors.New("401")}),
			cond("Synced", False, "AuthFailed", "AuthFailed: 401; StoreMissing: bad spec", 1, t1), nil,
		},
		"none":      {nil, cond("Synced", Unknown, "Waiting", "", 1, t1), nil},
		"cancelled": {context.Canceled, cond("Synced", Unknown, "Waiting", "", 1, t1), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := thing().Begin(1, nil, t1)
			p.ReportError("Synced", tt.err)
			got := p.Commit()
			same(t, "condition", tt.want, got.Conditions()[1])
			same(t, "errors", tt.errors, texts(got.Errors))
		})
	}
	k := &Kind{Kind: "Thing", Types: []Type{{Name: "Degraded", Polarity: Negative}}}
	p := k.Begin(1, nil, t1)
	p.ReportError("Degraded", bad)
	p.ReportError("Nobody", bad)
	got := p.Commit()
	same(t, "no reasons, negative", []Condition{cond("Degraded", True, reasonFailed, "bad spec", 1, t1)}, got.Conditions())
	same(t, "errors", []string{`Thing: condition "Nobody" is not declared`}, texts(got.Errors))
}

func TestAdvice(t *testing.T) {
	transient, terminal := errors.New("503"), &Fault{Class: ClassTerminal, Err: errors.New("bad spec")}
	later := &Fault{After: time.Minute, Err: errors.New("429")}
	waiting := report{"Synced", Unknown, "Waiting", ""}
	tests := map[string]struct {
		report report
		err    error
		class  Class
		text   string // of the error for the queue
		wait   time.Duration
	}{
		"all well":                {report: report{"Synced", True, "UpToDate", ""}, class: ClassOK},
		"transient error":         {report: waiting, err: transient, class: ClassTransient, text: "503"},
		"terminal error":          {report: waiting, err: terminal, class: ClassTerminal},
		"both":                    {report: waiting, err: errors.Join(transient, terminal), class: ClassTransient, text: "503\nbad spec"},
		"an error that says when": {report: waiting, err: later, class: ClassTransient, wait: time.Minute},
		"one that does not, either": {report: waiting, err: errors.Join(later, transient), class: ClassTransient, text: "429\n503",
			wait: time.Minute},
		"cancelled": {report: waiting, err: context.Canceled, text: "context canceled"},
		"transient condition": {report: report{"Synced", False, "StoreMissing", "no store"}, class: ClassTransient,
			text: "Thing: condition Synced is False: StoreMissing: no store"},
		"terminal condition": {report: report{"Synced", False, "AuthFailed", "401"}, class: ClassTerminal},
		"progress":           {report: waiting, class: ClassProgress},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := thing().Begin(1, nil, t1)
			p.Report(tt.report.conditionType, tt.report.status, tt.report.reason, tt.report.text)
			got := p.Commit()
			advice := got.Advice(tt.err)
			text := ""
			if advice.Err != nil {
				text = advice.Err.Error()
			}
			same(t, "class", tt.class, advice.Class)
			same(t, "error", tt.text, text)
			same(t, "wait", tt.wait, advice.Wait(t1))
		})
	}
	// the error goes into the condition, and the condition's class comes back out of it
	for _, err := range []error{transient, terminal} {
		p := thing().Begin(1, nil, t1)
		p.ReportError("Synced", err)
		got := p.Commit()
		same(t, "there and back", ClassOf(err), got.Advice(nil).Class)
	}
	p := thing().Begin(1, nil, t1)
	p.ReportError("Synced", later)
	got := p.Commit()
	same(t, "look again", t1.Add(time.Minute), got.RequeueAt)
	advice := got.Advice(nil)
	same(t, "wait", time.Minute, advice.Wait(t1))
	same(t, "error", nil, advice.Err)
	var none Result
	same(t, "the zero result", "429", none.Advice(later).Err.Error())
	same(t, "wait when it is over", time.Second, Advice{At: t0}.Wait(t1))
}
