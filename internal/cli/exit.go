// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/cluster"
)

// The exit codes (DESIGN.md section 5). Each means one thing in every command.
const (
	ExitOK          = 0   // fine, or met
	ExitFindings    = 1   // findings, or an unhealthy object where the command was asked to judge
	ExitUsage       = 2   // the command line is wrong, or a file that it names: a kubeconfig, a catalog, a manifest
	ExitFailed      = 3   // an object has failed
	ExitTimeout     = 4   // it took too long
	ExitNotFound    = 5   // an object, a type, a namespace or a file does not exist, or there was nothing to judge
	ExitUnknown     = 6   // the answer is not known, or not all of it: the server cannot be reached, something is forbidden or unreadable
	ExitInterrupted = 130 // by a signal
)

// exitCodes is the paragraph of the help of commands about their exit codes.
func exitCodes(codes ...int) string {
	meaning := map[int]string{ExitOK: "fine", ExitFindings: "an object is unhealthy (with --exit-code)", ExitUsage: "wrong flags, kubeconfig or files",
		ExitFailed: "an object has failed", ExitTimeout: "timed out", ExitNotFound: "not found, or nothing to judge",
		ExitUnknown: "the server cannot be reached, or something is forbidden or cannot be read", ExitInterrupted: "interrupted"}
	parts := make([]string, len(codes))
	for i, code := range codes {
		parts[i] = fmt.Sprintf("%d %s", code, meaning[code])
	}
	return "Exit codes: " + strings.Join(parts, ", ") + "."
}

// severity is the order of exit codes, the worst first.
var severity = []int{ExitInterrupted, ExitUsage, ExitFailed, ExitTimeout, ExitUnknown, ExitNotFound, ExitFindings}

// worse reports whether exit code a outranks b, where a command has several.
func worse(a, b int) bool {
	return a != ExitOK && (b == ExitOK || cmp.Compare(slices.Index(severity, a), slices.Index(severity, b)) < 0)
}

// exit is an error with an exit code. One without an error has been reported already.
type exit struct {
	code int
	err  error
}

// Error is a method of error.
func (e *exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Unwrap returns the cause.
func (e *exit) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &exit{ExitUsage, fmt.Errorf(format, args...)} }

// codeOf returns the exit code of an error. One that says nothing else is about what the user gave: arguments, files, catalogs.
func codeOf(err error) int {
	var e *exit
	var unread *cluster.Error
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &unread):
		return codeOfReason(unread.Reason())
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.Is(err, context.DeadlineExceeded):
		return ExitTimeout
	}
	if cluster.IsAnswer(err) {
		return codeOfReason(cluster.ReasonOf(err))
	}
	return ExitUsage
}

func codeOfReason(r cluster.Reason) int {
	switch r {
	case cluster.NotFound, cluster.NotServed:
		return ExitNotFound
	case cluster.Invalid:
		return ExitUsage
	case cluster.Ended:
		return ExitInterrupted
	}
	return ExitUnknown
}

// codeOfAll returns the worst exit code of several errors.
func codeOfAll(errs []*cluster.Error) int {
	code := ExitOK
	for _, err := range errs {
		if c := codeOf(err); worse(c, code) {
			code = c
		}
	}
	return code
}
