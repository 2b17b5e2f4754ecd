// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Fault is an error with its meaning for the object. Wrapping keeps it: %w, errors.Join.
//
//	return &conditions.Fault{Class: conditions.ClassTerminal, Reason: "SpecInvalid", Err: err}
type Fault struct {
	Class  Class         // ClassTerminal: no retry helps; ClassTransient (or ""): the next one may
	Reason string        // a declared reason of the type it is reported to; empty: the last one declared of the class
	After  time.Duration // when to try again; 0: with the back-off of the queue
	Err    error
}

// Error returns the text of Err.
func (f *Fault) Error() string {
	if f == nil || f.Err == nil {
		return string(f.class()) + " fault"
	}
	return f.Err.Error()
}

// Unwrap returns Err.
func (f *Fault) Unwrap() error {
	if f == nil {
		return nil
	}
	return f.Err
}

func (f *Fault) class() Class {
	if f == nil || f.Class == "" {
		return ClassTransient
	}
	return f.Class
}

// classOf returns the class of the error of a reconcile: ClassOK for none, the class of a [Fault], otherwise ClassTransient. Of several
// joined ones a transient fault decides, because a retry may help. "" means that the error says nothing about the object: the
// pass was cancelled.
func classOf(err error) Class {
	if err == nil {
		return ClassOK
	}
	class := Class("")
	for _, f := range faults(err) {
		if c := f.class(); class == "" || urgency(c) < urgency(class) {
			class = c
		}
	}
	return class
}

// faults splits an error into those that were joined. Cancelled ones are left out.
func faults(err error) []*Fault {
	if f, ok := err.(*Fault); ok && f != nil {
		return []*Fault{f}
	} else if ok {
		return nil // a nil pointer is no error, though it is not a nil error
	}
	if parts := joined(err); len(parts) > 0 {
		var out []*Fault
		for _, one := range parts {
			out = append(out, faults(one)...)
		}
		return out
	}
	var wrapped *Fault
	if errors.As(err, &wrapped) && wrapped != nil { // the text around it is worth keeping
		return []*Fault{{Class: wrapped.Class, Reason: wrapped.Reason, After: wrapped.After, Err: err}}
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return []*Fault{{Class: ClassTransient, Err: err}}
}

// joined returns the parts of what errors.Join made. An error that wraps several and has a text of its own is one.
func joined(err error) []error {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	parts := several.Unwrap()
	text := err.Error()
	for i, one := range parts {
		if one == nil {
			return nil
		}
		if i > 0 {
			text = strings.TrimPrefix(text, "\n")
		}
		if text, ok = strings.CutPrefix(text, one.Error()); !ok {
			return nil
		}
	}
	if text != "" {
		return nil
	}
	return parts
}

// urgency orders classes by how pressing they are, the most pressing first.
func urgency(c Class) int {
	for i, one := range [...]Class{ClassTransient, ClassProgress, ClassTerminal, ClassSuspended} {
		if c == one {
			return i
		}
	}
	return 4
}

// ReportError reports an error to a type: as the reason that its [Fault] names, otherwise as the last unhealthy reason
// declared of its class, otherwise as the last unhealthy one. Errors that were joined are reported one by one. Without an
// error, and where the pass was cancelled, nothing is reported.
func (p *Pass) ReportError(conditionType string, err error) {
	if err == nil {
		return
	}
	if r := p.open("ReportError", conditionType); r != nil {
		for _, f := range faults(err) {
			r.fault(conditionType, f)
		}
	}
}

func (r *record) fault(conditionType string, f *Fault) {
	i := r.kind.find(conditionType, r.hint)
	if i < 0 {
		r.fail(&undeclaredError{Kind: r.kind.Kind, Type: conditionType})
		return
	}
	if f.After > 0 {
		r.requeue(r.now.Add(f.After))
	}
	t := &r.kind.Types[i]
	status, reason := statusOf(weightUnhealthy, t.Polarity), f.Reason
	if reason == "" {
		reason = fallbackReason(t, status, reasonFailed)
		for j := len(t.Reasons) - 1; j >= 0; j-- {
			if cell := &t.Reasons[j]; cell.Class == f.class() && cell.Status == status {
				reason = cell.Name
				break
			}
		}
	} else if t.reason(reason, status) < 0 && t.reason(reason, Unknown) >= 0 {
		status = Unknown
	}
	r.report(t.Name, status, reason, f.Error())
}
