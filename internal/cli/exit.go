// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
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

// ExitCode documents one exit code of a command, or of all of them.
type ExitCode struct {
	Code    int
	Meaning string
}

// ExitCodes returns every exit code with its meaning, the lowest first. The help of the commands and docs/exit-codes.md are made from it.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{ExitOK, "fine"},
		{ExitFindings, "findings: an object is unhealthy (with --exit-code), a file or case is not as it should be"},
		{ExitUsage, "wrong flags, kubeconfig or files"},
		{ExitFailed, "an object has failed"},
		{ExitTimeout, "timed out"},
		{ExitNotFound, "not found, or nothing to judge"},
		{ExitUnknown, "the server cannot be reached, or something is forbidden or cannot be read"},
		{ExitInterrupted, "interrupted"},
	}
}

// uses are the codes with which a command can end besides 0, 2 and 130, which every command has. A meaning that is empty is the common one.
type uses map[int]string

// endings are the uses of the commands, by the words behind the name of the program.
func endings() map[string]uses {
	unhealthy := "an object is unhealthy (with --exit-code), or something speaks against one that claims to be fine (with --strict)"
	reads := uses{ExitFindings: unhealthy, ExitNotFound: "", ExitUnknown: ""}
	return map[string]uses{
		"check":   {ExitFindings: "findings at the level of --fail-on or worse", ExitNotFound: "a PATH does not exist", ExitUnknown: "something cannot be read"},
		"compare": {ExitFindings: "an object got worse, or is new and broken (with --exit-code)", ExitNotFound: "", ExitUnknown: ""},
		"demo":    {ExitFindings: "a story failed, or could not be run"},
		"diff":    {ExitFindings: "a change at the level of --fail-on or worse", ExitNotFound: "no catalogs in OLD or NEW"},
		"docs":    {ExitFindings: "a file differs from its catalogs (with --check)", ExitNotFound: "a file does not exist"},
		"gen":     {ExitNotFound: "no catalog for the kind of --kind"},
		"import":  {ExitFindings: "something was left out", ExitNotFound: "a file does not exist, or holds no rules of the tool"},
		"infer":   {ExitNotFound: "a file does not exist, or no condition type was found", ExitUnknown: ""},
		"play":    {ExitFindings: "a story failed, or could not be run", ExitNotFound: "there is no such story", ExitUnknown: "the server cannot be reached, or makes no namespaces (with --live)"},
		"release": {ExitNotFound: "the server has no such kind", ExitUnknown: ""},
		"run":     {ExitUnknown: "not everything could be read (with --dry-run)"},
		"status":  reads,
		"test":    {ExitFindings: "a case is wrong, or no case reaches a rule", ExitNotFound: "a file does not exist"},
		"tree":    reads,
		"wait": {ExitOK: "met", ExitFailed: "", ExitTimeout: "timed out, or stuck", ExitNotFound: "all that is left does not exist",
			ExitUnknown: "all that is left is unknown: the server cannot be reached, or something is forbidden"},
		"why": reads,
	}
}

// EndingsOf returns the codes with which a command can end. Its name is that of [cobra.Command.CommandPath] without the program, as "gen go".
func EndingsOf(name string) []ExitCode {
	own := endings()[strings.SplitN(name, " ", 2)[0]]
	var out []ExitCode
	for _, c := range ExitCodes() {
		meaning, ok := own[c.Code]
		if ok || c.Code == ExitOK || c.Code == ExitUsage || c.Code == ExitInterrupted {
			out = append(out, ExitCode{c.Code, cmp.Or(meaning, c.Meaning)})
		}
	}
	return out
}

// addExitCodes ends the help of every command with its exit codes.
func addExitCodes(c *cobra.Command, name string) {
	for _, sub := range c.Commands() {
		addExitCodes(sub, strings.TrimSpace(name+" "+sub.Name()))
	}
	if name == "" || !c.Runnable() {
		return
	}
	var parts []string
	for _, e := range EndingsOf(name) {
		parts = append(parts, fmt.Sprintf("%d %s", e.Code, e.Meaning))
	}
	c.Long = cmp.Or(c.Long, c.Short+".") + "\n\nExit codes: " + strings.Join(parts, "; ") + "."
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

// isUnread reports whether an error is a question that a server did not answer.
func isUnread(err error) bool {
	_, is := errors.AsType[*cluster.Error](err)
	return is
}

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
