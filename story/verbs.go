// SPDX-License-Identifier: Apache-2.0

package story

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
)

// verb is the grammar of one command.
type verb struct {
	usage string
	parse func([]word) (Command, error)
}

// verbs are all commands.
func verbs() map[string]verb {
	return map[string]verb{
		"apply":  {"apply FILE...", parseApply},
		"delete": {"delete KIND/NAME", parseDelete},
		"report": {`report KIND/NAME TYPE=STATUS [REASON] [SEVERITY] ["MESSAGE"], or report KIND/NAME -TYPE`, parseReport},
		"status": {"status KIND/NAME PATH=VALUE...", parseStatus},
		"set":    {"set KIND/NAME PATH=VALUE...", parseSet},
		"settle": {"settle", parseSettle},
		"sleep":  {"sleep DURATION, for example sleep 5m", parseSleep},
		"needs":  {"needs virtual-time", parseNeeds},
		"expect": {`expect KIND/NAME TYPE=STATUS [REASON] [SEVERITY] ["REGEXP"], or expect KIND/NAME -TYPE`, parseExpect},
		"gone":   {"gone KIND/NAME", parseGone},
		"tree":   {"tree KIND/NAME FILE", parseTree},
		"writes": {"writes NUMBER", parseWrites},
		"quiet":  {"quiet", parseQuiet},
		"note":   {`note "TEXT"`, parseNote},
	}
}

var errUsage = errors.New("wrong arguments")

func parseCommand(words []word) (Command, error) {
	all := verbs()
	v, ok := all[words[0].text]
	if !ok || words[0].quoted {
		return nil, fmt.Errorf("unknown command %q (commands: %s)", words[0].text, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}
	c, err := v.parse(words[1:])
	if errors.Is(err, errUsage) {
		return nil, fmt.Errorf("usage: %s", v.usage)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", words[0].text, err)
	}
	return c, nil
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
	cell, err := parseCell(args)
	if err != nil {
		return nil, err
	}
	return Report{Ref: cell.ref, Type: cell.conditionType, Remove: cell.remove, Status: cell.status,
		Reason: cell.reason, Severity: cell.severity, Message: cell.message}, nil
}

func parseExpect(args []word) (Command, error) {
	cell, err := parseCell(args)
	if err != nil {
		return nil, err
	}
	c := Expect{Ref: cell.ref, Type: cell.conditionType, Absent: cell.remove, Status: cell.status,
		Reason: cell.reason, Severity: cell.severity}
	if cell.hasMessage {
		if c.Message, err = regexp.Compile(cell.message); err != nil {
			return nil, fmt.Errorf("bad pattern: %w", err)
		}
	}
	return c, nil
}

// cell is what report and expect have in common.
type cell struct {
	ref           Ref
	conditionType string
	remove        bool
	status        conditions.Status
	reason        string
	severity      conditions.Severity
	message       string
	hasMessage    bool
}

func parseCell(args []word) (cell, error) {
	var c cell
	if len(args) < 2 || args[0].quoted || args[1].quoted {
		return c, errUsage
	}
	var err error
	if c.ref, err = parseRef(args[0].text); err != nil {
		return c, err
	}
	what, rest := args[1].text, args[2:]
	if name, ok := strings.CutPrefix(what, "-"); ok {
		c.conditionType, c.remove = name, true
		if name == "" || len(rest) > 0 || strings.Contains(name, "=") {
			return c, errUsage
		}
		return c, nil
	}
	name, status, ok := strings.Cut(what, "=")
	if !ok || name == "" {
		return c, errUsage
	}
	c.conditionType, c.status = name, conditions.Status(status)
	if !conditions.ValidStatus(c.status) {
		return c, fmt.Errorf("status %q is not True, False or Unknown", status)
	}
	if n := len(rest); n > 0 && rest[n-1].quoted {
		c.message, c.hasMessage = rest[n-1].text, true
		rest = rest[:n-1]
	}
	if n := len(rest); n > 0 && !rest[n-1].quoted {
		switch s := conditions.Severity(rest[n-1].text); s {
		case conditions.SeverityError, conditions.SeverityWarning, conditions.SeverityInfo:
			c.severity = s
			rest = rest[:n-1]
		}
	}
	if len(rest) > 1 || len(rest) == 1 && rest[0].quoted {
		return c, errUsage
	}
	if len(rest) == 1 {
		c.reason = rest[0].text
	}
	return c, nil
}

// parseRef reads Kind/name, Kind.group/name or either with a namespace in between.
func parseRef(s string) (Ref, error) {
	parts := strings.Split(s, "/")
	r := Ref{Namespace: DefaultNamespace, Name: parts[len(parts)-1]}
	if len(parts) == 3 {
		r.Namespace = parts[1]
	}
	r.Kind, r.Group, r.Grouped = strings.Cut(parts[0], ".")
	if len(parts) < 2 || len(parts) > 3 || r.Kind == "" || r.Name == "" || r.Namespace == "" {
		return r, fmt.Errorf("%q is not Kind/name, Kind.group/name or Kind/namespace/name", s)
	}
	return r, nil
}
