// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/story"
)

const objects = `-- rack.yaml --
apiVersion: example.com/v1
kind: Rack
metadata: {name: r}
---
apiVersion: example.com/v1
kind: Widget
metadata:
  name: a
  ownerReferences: [{apiVersion: example.com/v1, kind: Rack, name: r}]
spec: {size: 1}
`

func TestRunner(t *testing.T) {
	tests := map[string]struct {
		script string
		want   []string // errors
	}{
		"everything": {script: `# The whole language.
apply rack.yaml
settle
expect Widget/a Powered=True # fails
`, want: []string{`test.txtar:4: Widget/a has no condition Powered; want Powered=True`}},
		"good": {script: `apply rack.yaml
report Widget/a Powered=True
settle
expect Widget/a Ready=True Fine
expect Rack/r Ready=True AllFine
expect Widget.example.com/a OldEnough=False Young
writes 2
quiet
sleep 10m
expect Widget/default/a OldEnough=True Old
writes 1
report Widget/a Powered=False FuseOut "a \"fuse\" is out"
settle
expect Widget/a Powered=False FuseOut "\"fuse\""
expect Widget/a Ready=False Tripped      # the right name, not the alias
expect Rack/r Ready=False Tripped ` + "`fuse. is out`" + `
report Widget/a -Powered
settle
expect Widget/a -Powered
expect Widget/a Ready=Unknown
set Widget/a spec.size=2 metadata.labels["example.com/tier"]=gold
status Widget/a fuses=[1, 2] name="a b"
delete Rack/r
settle
gone Widget/a
gone Rack/r
note "done"
`},
		"expectations go on, errors stop": {script: `apply rack.yaml
settle
expect Rack/r Ready=True
expect Rack/r -Ready
expect Widget/b Ready=True
gone Rack/r
writes 7
delete Widget/b
expect Rack/r Ready=True
`, want: []string{
			`test.txtar:3: Rack/r has Ready=Unknown NotReported "Ready(NotReported): Powered(NotReported): not reported [a]"; want Ready=True`,
			`test.txtar:4: Rack/r has the condition Ready=Unknown NotReported "Ready(NotReported): Powered(NotReported): not reported [a]"; want none`,
			`test.txtar:5: Widget/b does not exist`,
			`test.txtar:6: Rack.example.com/default/r still exists`,
			`test.txtar:7: 2 writes (Widget/a, Rack/r); want 7`,
			`test.txtar:8: Widget.example.com/default/b: not found`,
		}},
		"checked before it runs": {script: `apply rack.yaml
report Widget/a Powered=False
report Widget/a Powered=False Dark
report Widget/a Powered=False Tripped Error
report Widget/a Ready=True
report Widget/a Powred=True
report Rack/r -Ready
delete Gadget/a
expect Widget/a Hot=True
expect Widget/a Powered=True Tripped
status Widget/a conditions=[]
`, want: []string{
			`test.txtar:2: Powered=False needs a reason (reasons: Tripped, Cut)`,
			`test.txtar:3: Powered=False declares no reason Dark (reasons: Tripped, Cut)`,
			`test.txtar:4: Powered=False Tripped has severity Error, the catalog declares Warning`,
			`test.txtar:5: Ready of Widget is derived: a story reports leaves only (leaves: Powered)`,
			`test.txtar:6: Widget declares no condition Powred (leaves: Powered)`,
			`test.txtar:7: Ready of Rack is derived: a story reports leaves only (leaves: none)`,
			`test.txtar:8: unknown kind in Gadget/a (kinds of the catalogs and of this story: Rack, Widget)`,
			`test.txtar:9: Widget declares no condition Hot`,
			`test.txtar:10: Powered=True declares no reason Tripped (reasons: PowerOn)`,
			`test.txtar:11: conditions are written with: report Widget/a TYPE=STATUS`,
		}},
		"owner that does not exist": {script: `apply late.yaml
-- late.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a, ownerReferences: [{apiVersion: example.com/v1, kind: Rack, name: s}]}
`, want: []string{`test.txtar:1: late.yaml (line 3): owner of Widget.example.com/default/a: Rack.example.com/default/s: not found (apply the owner first, or give the uid)`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := test.script
			if !strings.Contains(text, "-- late") {
				text += objects
			}
			_, err := run(t, widgetSet(t), text)
			var got []string
			if err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			diff(t, "errors", test.want, got)
		})
	}
}

// notVirtual is a memory world that claims to have a clock of its own.
type notVirtual struct{ *story.MemoryWorld }

func (notVirtual) Virtual() bool { return false }

func TestRunnerSkips(t *testing.T) {
	s, err := story.Parse("test.txtar", []byte("needs virtual-time\napply rack.yaml\n"+objects))
	if err != nil {
		t.Fatal(err)
	}
	w := notVirtual{story.NewMemoryWorld(widgetSet(t))}
	if err := (&story.Runner{World: w}).Run(context.Background(), s); !errors.Is(err, story.ErrSkipped) {
		t.Errorf("got %v, want ErrSkipped", err)
	}
}

func TestRunnerTreeAndObserver(t *testing.T) {
	const shown = "Rack/r       … InProgress  Ready: NotReported: Ready(NotReported): Powered(NotReported): not reported [a]\n" +
		"└─ Widget/a  … InProgress  Ready: NotReported: Powered(NotReported): not reported\n"
	parse := func(tree string) *story.Story {
		t.Helper()
		s, err := story.Parse("test.txtar", []byte("# Head.\n\napply rack.yaml\nsettle\nsleep 1m\ntree Rack/r tree.txt\n"+objects+
			"-- tree.txt --\n"+tree))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := parse(shown)
	diff(t, "description", "Head.", s.Description)
	var steps []string
	var slept time.Duration
	r := &story.Runner{
		Observe: func(e story.Event) {
			if e.Done {
				steps = append(steps, e.Step.Text)
				slept += e.Took
			}
		},
	}
	runIt := func(s *story.Story) error {
		r.World = story.NewMemoryWorld(widgetSet(t))
		return r.Run(context.Background(), s)
	}
	if err := runIt(s); err != nil {
		t.Error(err)
	}
	diff(t, "steps", []string{"apply rack.yaml", "settle", "sleep 1m", "tree Rack/r tree.txt"}, steps)
	diff(t, "slept", time.Minute, slept)

	s = parse("another tree  \n\n")
	want := "test.txtar:6: the tree of Rack/r differs from tree.txt; want:\nanother tree\ngot:\n" + shown
	if err := runIt(s); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	r.Update = true
	if err := runIt(s); err != nil {
		t.Error(err)
	}
	if got := string(s.Format()); !strings.HasSuffix(got, "-- tree.txt --\n"+shown) {
		t.Errorf("the archive was not rewritten:\n%s", got)
	}
}

// A kind with many conditions lists: its conditions are written with status, and the worst is expected.
func TestRunner_manyLists(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"route.yaml": []byte(`
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: routes.example.com}
spec:
  for: {group: example.com, kind: Route}
  path: status.parents[*].conditions
  conditions:
  - type: Accepted
    meaning: The gateway took it.
    reasons:
    - {reason: Accepted, status: "True", meaning: It did.}
    - {reason: NotAllowed, status: "False", meaning: It did not.}
`)})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ script, want string }{
		"good": {script: `status Route/a parents=[{name: x, conditions: [{type: Accepted, status: "True", reason: Accepted}]}]
expect Route/a Accepted=True
status Route/a parents=[{name: x, conditions: [{type: Accepted, status: "True"}]}, {name: y, conditions: [{type: Accepted, status: "False", reason: NotAllowed}]}]
expect Route/a Accepted=False NotAllowed
`},
		"reported": {script: "report Route/a Accepted=True\n",
			want: `test.txtar:2: Route has its conditions at status.parents[*].conditions: write them with: status Route/a`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, set, "apply a.yaml\n"+test.script+"-- a.yaml --\napiVersion: example.com/v1\nkind: Route\nmetadata: {name: a}\n")
			got := ""
			if err != nil {
				got = err.Error()
			}
			diff(t, "errors", test.want, got)
		})
	}
}
