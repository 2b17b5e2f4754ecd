// SPDX-License-Identifier: Apache-2.0

package exit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tristate/tristate/internal/fleet/cluster"
)

// The exit codes.
const (
	OK          = 0   // fine, or met
	Findings    = 1   // findings, or an unhealthy object with --exit-code
	Usage       = 2   // the command line is wrong, or a file that it names: a kubeconfig, a catalog, a manifest
	Failed      = 3   // an object has failed
	Timeout     = 4   // it took too long
	NotFound    = 5   // an object, a type, a namespace or a file does not exist, or there was nothing to judge
	Unknown     = 6   // the answer is not known, or not all of it: the server cannot be reached, something is forbidden or unreadable
	Superseded  = 7   // the spec of an awaited object was changed while it was awaited
	Interrupted = 130 // by a signal
)

// Severity is the order of exit codes, the worst first; OK is better than all.
var Severity = []int{Interrupted, Usage, Failed, Superseded, Timeout, Unknown, NotFound, Findings}

// Worse reports whether exit code a outranks b, for a command with several.
func Worse(a, b int) bool {
	return a != OK && (b == OK || cmp.Compare(slices.Index(Severity, a), slices.Index(Severity, b)) < 0)
}

// Error is an error with an exit code. One without a cause has been reported already, and its text is empty.
type Error struct {
	Code  int
	Cause error
}

// Error is a method of error.
func (e *Error) Error() string {
	if e.Cause == nil {
		return ""
	}
	return e.Cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// With returns an error with a code; err is nil if it has been reported.
func With(code int, err error) error { return &Error{code, err} }

// Usagef returns the error of a wrong command line.
func Usagef(format string, args ...any) error { return With(Usage, fmt.Errorf(format, args...)) }

// IsUnread reports whether an error is a failed request to a server.
func IsUnread(err error) bool {
	_, is := errors.AsType[*cluster.Error](err)
	return is
}

// Of returns the exit code of an error. An error of no known kind is about the input of the user: arguments, files, catalogs.
func Of(err error) int {
	var e *Error
	var unread *cluster.Error
	switch {
	case err == nil:
		return OK
	case errors.As(err, &e):
		return e.Code
	case errors.As(err, &unread):
		return ofReason(unread.Reason())
	case errors.Is(err, context.Canceled):
		return Interrupted
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	}
	if cluster.IsAnswer(err) {
		return ofReason(cluster.ReasonOf(err))
	}
	return Usage
}

func ofReason(r cluster.Reason) int {
	switch r {
	case cluster.NotFound, cluster.NotServed:
		return NotFound
	case cluster.Invalid:
		return Usage
	case cluster.Ended:
		return Interrupted
	}
	return Unknown
}

// OfAll returns the worst exit code of several errors.
func OfAll[E error](errs []E) int {
	code := OK
	for _, err := range errs {
		if c := Of(err); Worse(c, code) {
			code = c
		}
	}
	return code
}

// Worst returns the worst of some exit codes.
func Worst(codes ...int) int {
	worst := OK
	for _, code := range codes {
		if Worse(code, worst) {
			worst = code
		}
	}
	return worst
}
