// SPDX-License-Identifier: Apache-2.0

package why_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli"
)

// known is a dump with its right answer, as index.json of ../shared/cases/causes has it.
type known struct {
	File, Ask string
	Right     json.RawMessage
}

// target is an object that is a right answer about a fault. Words, a regular expression, have to be in the text about it.
type target struct {
	Object, Words string
	Fault         int
}

// sentences are the objects that the answers in sentences of index.json name. No object: nothing may be named.
var sentences = map[string][]target{
	"alarm-mesh-service.yaml":           nil,
	"alarm-orphan-service.yaml":         nil,
	"alarm-retrying-job.yaml":           nil,
	"alarm-running-workload.yaml":       nil,
	"overdue-left-out.yaml":             {{Object: "HelmRelease/other/z", Fault: 1}, {Object: "Service/games/arena", Fault: 2}},
	"reason-mesh-probe.yaml":            {{Object: "Pod/a/web-1", Words: "CrashLoopBackOff.*\n.*cannot open database", Fault: 1}},
	"two-faults-nearest-pod.yaml":       {{Object: "Pod/a/api-1", Fault: 1}, {Object: "Service/a/cart", Words: "NoPodMatches", Fault: 2}},
	"wrong-cordoned-control-plane.yaml": {{Object: "Pod/a/web-3", Words: "(?i)anti-?affinity", Fault: 1}},
}

// named is a cause as -o brief writes it.
type named struct{ object, text string }

var firstLine = regexp.MustCompile(`(?m)^(?:[0-9]+\.|-) (?:(\S+)/)?([A-Za-z0-9]+)/(\S+?): `)

// brief runs why and returns its causes in order.
func brief(t *testing.T, args ...string) (out []named) {
	t.Helper()
	var text, errs bytes.Buffer
	a := &cli.App{In: &bytes.Buffer{}, Out: &text, Err: &errs, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
	if code := a.Run(t.Context(), append([]string{"why", "-o", "brief"}, args...)); code != 0 {
		t.Fatalf("why %s: exit code %d: %s", strings.Join(args, " "), code, &errs)
	}
	list, _, _ := strings.Cut(text.String(), "in progress, within the usual time") // what follows is no cause
	starts := firstLine.FindAllStringSubmatchIndex(list, -1)
	for i, at := range starts {
		end := len(list)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		part := func(i int) string { return list[max(at[i], 0):max(at[i+1], 0)] }
		body, _, _ := strings.Cut(list[at[0]:end], "   explains: ")
		out = append(out, named{strings.ReplaceAll(part(4)+"/"+part(2)+"/"+part(6), "//", "/"), body})
	}
	return out
}

// rank returns the faults that the first of some causes name, and whether the first one is right.
func rank(causes []named, right []target) (first bool, within map[int]bool) {
	within = map[int]bool{}
	for i, c := range causes[:min(len(causes), 3)] {
		for _, r := range right {
			if c.object == r.Object && regexp.MustCompile("(?i)"+r.Words).MatchString(c.text) {
				within[r.Fault], first = true, first || i == 0
			}
		}
	}
	return first, within
}

// leastKnown are the numbers of dumps that are answered: of why OBJECT and why -A the first cause is right, all faults are within three;
// and those that name nothing where nothing is wrong.
var leastKnown = map[string]int{"first -A": 17, "all faults -A": 17, "first OBJECT": 13, "all faults OBJECT": 13, "silent": 4}

// TestKnownCauses asks why of the dumps beside the repository that failed once, and counts the right answers.
func TestKnownCauses(t *testing.T) {
	const folder = "../../../../shared/cases/causes"
	data, err := os.ReadFile(filepath.Join(folder, "index.json"))
	if err != nil {
		t.Skip("the dumps are not at hand: ../shared/cases/causes is absent")
	}
	var list []known
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	var questions []asked
	for _, k := range list {
		file := filepath.Join(folder, k.File)
		right, isSentence := sentences[k.File]
		if !isSentence && k.Ask == "status" {
			continue // a question to another command
		}
		if !isSentence {
			if err := json.Unmarshal(k.Right, &right); err != nil {
				t.Fatalf("%s: %v", k.File, err)
			}
		}
		if k.Ask != "why -A" {
			questions = append(questions, asked{file, "OBJECT", strings.Fields(k.Ask), right})
		}
		all := []string{"-A"}
		if k.File == "overdue-left-out.yaml" { // its newest time is that of the creation of the Service, and half an hour has passed
			all = append(all, "--at", "2026-11-28T21:40:00Z")
		}
		questions = append(questions, asked{file, "-A", all, right})
	}
	count(t, questions, false, leastKnown)
}
