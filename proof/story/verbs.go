// SPDX-License-Identifier: Apache-2.0

package story

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// Verb documents one command of the language.
type Verb struct {
	Name    string
	Usage   []string // its forms, each with the name
	Meaning string   // one or two sentences
	Example string   // a line that parses
}

// verb is a command with its parser.
type verb struct {
	Verb
	parse func([]word) (Command, error)
}

// Verbs returns every command of the language: those that change the world first, then time, then expectations. Errors of the parser, the
// help of tristate play and docs/story-language.md are made from it.
func Verbs() []Verb {
	var out []Verb
	for _, v := range verbs() {
		out = append(out, v.Verb)
	}
	return out
}

func verbs() []verb {
	return []verb{
		{Verb{"apply", []string{"apply FILE..."},
			"Creates the objects of the files, or replaces all of them but their status. Owner references without uid get the uid of the owner.",
			"apply machine.yaml"}, parseApply},
		{Verb{"delete", []string{"delete REF"}, "Deletes an object; gracefully where it has finalizers.", "delete Machine/m"}, parseDelete},
		{Verb{"report", []string{`report REF TYPE=STATUS [REASON] [SEVERITY] ["MESSAGE"]`, "report REF -TYPE"},
			"Writes a leaf condition as a writer other than Tristate, or removes it. The severity is the declared one; the reason can be left out " +
				"where one is declared for the status.",
			`report AWSMachine/m InstanceReady=False SSHKeyMissing Warning "key not found"`}, parseReport},
		{Verb{"status", []string{"status REF PATH=VALUE..."}, "Writes plain status fields. Values are YAML; null removes the field.",
			"status Machine/m phase=Running"}, parseStatus},
		{Verb{"set", []string{"set REF PATH=VALUE..."}, "Merge-patches fields outside of the status. Values are YAML; null removes the field.",
			"set Machine/m spec.version=v1.31.0"}, parseSet},
		{Verb{"observe", []string{"observe REF"},
			"Starts an agent that looks at a workload cluster after each further step: it writes the tags of the images of DaemonSet kube-proxy " +
				"and Deployment coredns into the annotations addons.tristate.dev/kube-proxy and addons.tristate.dev/coredns of a KubeadmControlPlane.",
			"observe KubeadmControlPlane/c"}, parseObserve},
		{Verb{"settle", []string{"settle"}, "Waits until nothing derived changes any more. After it the invariants are checked.", "settle"},
			parseSettle},
		{Verb{"sleep", []string{"sleep DURATION"}, "Moves the clock. Skipped in a world with a clock of its own.", "sleep 5m"}, parseSleep},
		{Verb{"needs", []string{"needs virtual-time"}, "Skips the whole story in a world with a clock of its own.", "needs virtual-time"},
			parseNeeds},
		{Verb{"expect", []string{`expect REF TYPE=STATUS [REASON] [SEVERITY] ["REGEXP"]`, "expect REF -TYPE"},
			"Fails unless the condition is as given; parts that are left out can be anything, and the pattern has to match a part of the message. " +
				"The second form fails if the condition is present.",
			`expect Machine/m Ready=False SSHKeyMissing "key .* not found"`}, parseExpect},
		{Verb{"gone", []string{"gone REF"}, "Fails if the object exists.", "gone Machine/m"}, parseGone},
		{Verb{"tree", []string{"tree REF FILE"}, "Fails unless the plain tree below the object equals the file of the archive. `tristate play " +
			"--update` writes the file.", "tree Cluster/c tree.txt"}, parseTree},
		{Verb{"writes", []string{"writes NUMBER"}, "Fails unless Tristate wrote this often since the last writes command, or since the " +
			"beginning; on a cluster, at most this often.", "writes 2"}, parseWrites},
		{Verb{"quiet", []string{"quiet"}, "Fails if another pass over everything writes something.", "quiet"}, parseQuiet},
		{Verb{"note", []string{`note "TEXT"`}, "Text for people, which play prints.", `note "the machine breaks"`}, parseNote},
	}
}

// Syntax returns the rules of a line that hold for every command, a sentence or two each.
func Syntax() []string {
	return []string{
		"A story is one txtar archive. Its comment is the script, one command a line; its files are YAML objects and expected trees.",
		"REF is Kind/name, Kind.group/name or Kind/namespace/name. Without a namespace it is " + DefaultNamespace + ".",
		"PATH is field.field. A field with dots is written [\"a.b/c\"], or its dots are escaped by a backslash.",
		"STATUS is True, False or Unknown; SEVERITY is Error, Warning or Info; DURATION is a Go duration.",
		"Messages and patterns stand in double quotes with the escapes of Go, or in back quotes. Patterns are Go regular expressions.",
		"Text after # at the start of a word is a comment.",
		"A story writes leaves and specs only. A report to a derived type, an undeclared type, status, reason or severity, and an object with " +
			"a status of its own are errors, found before the first command runs.",
		"A failed expectation does not stop a story; any other error does. Each error has the place: file:line: message.",
	}
}

var errUsage = errors.New("wrong arguments")

func parseCommand(words []word) (Command, error) {
	all := verbs()
	i := slices.IndexFunc(all, func(v verb) bool { return v.Name == words[0].text })
	if i < 0 || words[0].quoted {
		names := make([]string, len(all))
		for i, v := range all {
			names[i] = v.Name
		}
		slices.Sort(names)
		return nil, fmt.Errorf("unknown command %q (commands: %s)", words[0].text, strings.Join(names, ", "))
	}
	v := all[i]
	c, err := v.parse(words[1:])
	if errors.Is(err, errUsage) {
		return nil, fmt.Errorf("usage: %s", v.hint())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", words[0].text, err)
	}
	return c, nil
}

// hint returns the forms of a command on one line, and an example where that explains more.
func (v Verb) hint() string {
	forms := strings.Join(v.Usage, ", or ")
	if v.Example == forms {
		return forms
	}
	return forms + ", for example " + v.Example
}

func parseApply(args []word) (Command, error) {
	if len(args) == 0 {
		return nil, errUsage
	}
	var c Apply
	for _, a := range args {
		c.Files = append(c.Files, a.text)
	}
	return c, nil
}

func parseDelete(args []word) (Command, error) {
	ref, err := onlyRef(args)
	return Delete{ref}, err
}

func parseObserve(args []word) (Command, error) {
	ref, err := onlyRef(args)
	return Observe{ref}, err
}

func parseGone(args []word) (Command, error) {
	ref, err := onlyRef(args)
	return Gone{ref}, err
}

func onlyRef(args []word) (Ref, error) {
	if len(args) != 1 {
		return Ref{}, errUsage
	}
	return parseRef(args[0].text)
}

func parseSettle(args []word) (Command, error) { return Settle{}, none(args) }
func parseQuiet(args []word) (Command, error)  { return Quiet{}, none(args) }

func none(args []word) error {
	if len(args) > 0 {
		return errUsage
	}
	return nil
}

func parseSleep(args []word) (Command, error) {
	if len(args) != 1 {
		return nil, errUsage
	}
	d, err := time.ParseDuration(args[0].text)
	if err != nil || d <= 0 {
		return nil, fmt.Errorf("%q is not a duration above zero, such as 90s or 5m", args[0].text)
	}
	return Sleep{d}, nil
}

func parseNeeds(args []word) (Command, error) {
	if len(args) != 1 || args[0].text != VirtualTime {
		return nil, errUsage
	}
	return Needs{args[0].text}, nil
}

func parseTree(args []word) (Command, error) {
	if len(args) != 2 {
		return nil, errUsage
	}
	ref, err := parseRef(args[0].text)
	return Tree{ref, args[1].text}, err
}

func parseWrites(args []word) (Command, error) {
	if len(args) != 1 {
		return nil, errUsage
	}
	n, err := strconv.Atoi(args[0].text)
	if err != nil || n < 0 {
		return nil, fmt.Errorf("%q is not a number of writes", args[0].text)
	}
	return Writes{n}, nil
}

func parseNote(args []word) (Command, error) {
	if len(args) != 1 || !args[0].quoted {
		return nil, errUsage
	}
	return Note{args[0].text}, nil
}

func parseReport(args []word) (Command, error) {
	r, _, err := parseCell(args)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func parseExpect(args []word) (Command, error) {
	r, hasMessage, err := parseCell(args)
	if err != nil {
		return nil, err
	}
	c := Expect{Ref: r.Ref, Condition: r.Condition, Absent: r.Remove}
	if c.Condition.Message = ""; hasMessage {
		if c.Message, err = regexp.Compile(r.Message); err != nil {
			return nil, fmt.Errorf("bad pattern: %w", err)
		}
	}
	return c, nil
}

// parseCell reads the common arguments of report and expect, and reports whether there is a message.
func parseCell(args []word) (r Report, hasMessage bool, err error) {
	if len(args) < 2 || args[0].quoted || args[1].quoted {
		return r, false, errUsage
	}
	if r.Ref, err = parseRef(args[0].text); err != nil {
		return r, false, err
	}
	what, rest := args[1].text, args[2:]
	if name, ok := strings.CutPrefix(what, "-"); ok {
		r.Type, r.Remove = name, true
		if name == "" || len(rest) > 0 || strings.Contains(name, "=") {
			return r, false, errUsage
		}
		return r, false, nil
	}
	name, status, ok := strings.Cut(what, "=")
	if !ok || name == "" {
		return r, false, errUsage
	}
	r.Type, r.Status = name, conditions.Status(status)
	if !wire.ValidStatus(r.Status) {
		return r, false, fmt.Errorf("status %q is not True, False or Unknown", status)
	}
	if n := len(rest); n > 0 && rest[n-1].quoted {
		r.Message, hasMessage = rest[n-1].text, true
		rest = rest[:n-1]
	}
	if n := len(rest); n > 0 && !rest[n-1].quoted {
		switch s := conditions.Severity(rest[n-1].text); s {
		case conditions.SeverityError, conditions.SeverityWarning, conditions.SeverityInfo:
			r.Severity = s
			rest = rest[:n-1]
		}
	}
	if len(rest) > 1 || len(rest) == 1 && rest[0].quoted {
		return r, hasMessage, errUsage
	}
	if len(rest) == 1 {
		r.Reason = rest[0].text
	}
	return r, hasMessage, nil
}

// parseRef reads Kind/name, Kind.group/name or either with a namespace in between.
func parseRef(s string) (Ref, error) {
	parts := strings.Split(s, "/")
	r := Ref{ID: relation.ID{Namespace: DefaultNamespace, Name: parts[len(parts)-1]}}
	if len(parts) == 3 {
		r.Namespace = parts[1]
	}
	r.Kind, r.Group, r.Grouped = strings.Cut(parts[0], ".")
	if len(parts) < 2 || len(parts) > 3 || r.Kind == "" || r.Name == "" || r.Namespace == "" {
		return r, fmt.Errorf("%q is not Kind/name, Kind.group/name or Kind/namespace/name", s)
	}
	return r, nil
}
