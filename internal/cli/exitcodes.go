// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/exit"
)

// ExitCode documents one exit code of a command, or of all of them.
type ExitCode struct {
	Code    int
	Meaning string
}

// ExitCodes returns every exit code with its meaning, the lowest first. The help of the commands and docs/exit-codes.md are made from it.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{exit.OK, "fine"},
		{exit.Findings, "findings: an object is unhealthy (with --exit-code), a file or case is not as it should be"},
		{exit.Usage, "wrong flags, kubeconfig or files"},
		{exit.Failed, "an object has failed"},
		{exit.Timeout, "timed out"},
		{exit.NotFound, "not found, or nothing to judge"},
		{exit.Unknown, "the server cannot be reached, or the answer depends on something that is forbidden or cannot be read"},
		{exit.Superseded, "an awaited object was changed: its generation moved on"},
		{exit.Interrupted, "interrupted"},
	}
}

// uses are the codes with which a command can end besides 0, 2 and 130, which every command has. An empty meaning is the common one.
type uses map[int]string

// endings are the uses of the commands, by the words behind the name of the program.
func endings() map[string]uses {
	unhealthy := "an object is unhealthy (with --exit-code), or the verdict on a healthy one is in doubt (with --doubt fail or --strict)"
	overview := "the server cannot be reached, or the answer depends on something that cannot be read (an overview leaves out types that you may " +
		"not list, unless --strict)"
	reads := func(unknown string) uses {
		return uses{exit.Findings: unhealthy, exit.NotFound: "", exit.Unknown: unknown}
	}
	return map[string]uses{
		"check": {exit.Findings: "findings at the level of --fail-on or worse", exit.NotFound: "a PATH does not exist",
			exit.Unknown: "something cannot be read"},
		"compare": {exit.Findings: "an object got worse, or is new and broken, or a tool calls an unhealthy state healthy (with --exit-code)",
			exit.NotFound: "", exit.Unknown: ""},
		"demo": {exit.Findings: "a story failed, or could not be run"},
		"diff": {exit.Findings: "a change at the level of --fail-on or worse", exit.NotFound: "no catalogs in OLD or NEW"},
		"docs": {exit.Findings: "a file differs from its catalogs (with --check)", exit.NotFound: "a file does not exist"},
		"gen": {exit.Findings: "a generated file is missing, stale or left over (with --check), or a cluster differs (with --installed)",
			exit.NotFound: "no catalog for a kind, or no manifest", exit.Unknown: "something cannot be read (with --installed)"},
		"history": {exit.NotFound: "nothing is known of the object", exit.Unknown: ""},
		"infer":   {exit.NotFound: "a file does not exist, or no condition type was found", exit.Unknown: ""},
		"mcp":     {},
		"play": {exit.Findings: "a story failed, or could not be run", exit.NotFound: "there is no such story",
			exit.Unknown: "the server cannot be reached, or makes no namespaces (with --live)"},
		"release": {exit.NotFound: "the server has no such kind", exit.Unknown: ""},
		"run":     {exit.Unknown: "not everything could be read (with --dry-run)"},
		"serve":   {exit.Unknown: "the server cannot be reached when it starts"},
		"status":  reads(overview),
		"test":    {exit.Findings: "a case is wrong, or no case reaches a rule", exit.NotFound: "a file does not exist"},
		"tree":    reads(""),
		"ui": {exit.NotFound: "the files hold no objects", exit.Unknown: "the server cannot be reached when it starts, or a file cannot " +
			"be read"},
		"wait": {exit.OK: "met", exit.Failed: "an object has failed, or has passed a deadline of its own", exit.Timeout: "timed out, or stuck",
			exit.NotFound:   "all that is left does not exist",
			exit.Unknown:    "all that is left is unknown: the server cannot be reached, or something is forbidden, such as children that count",
			exit.Superseded: "an object was changed meanwhile (with --superseded)"},
		"why": reads(overview),
	}
}

// EndingsOf returns the codes with which a command can end. Its name is that of [cobra.Command.CommandPath] without the program, as "gen
// go".
func EndingsOf(name string) []ExitCode {
	own := endings()[strings.SplitN(name, " ", 2)[0]]
	var out []ExitCode
	for _, c := range ExitCodes() {
		meaning, ok := own[c.Code]
		if ok || c.Code == exit.OK || c.Code == exit.Usage || c.Code == exit.Interrupted {
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
