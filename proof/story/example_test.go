// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"context"
	"fmt"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/story"
)

func ExampleRunner() {
	set, err := catalog.Load(map[string][]byte{"widgets.yaml": []byte(`
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: widgets.example.com}
spec:
  for: {group: example.com, kind: Widget}
  conditions:
  - type: Ready
    meaning: The widget works.
    derive: {summary: {of: [Powered]}}
  - type: Powered
    meaning: The widget has power.
    reasons:
    - {reason: PowerOn, status: "True", meaning: It has.}
    - {reason: FuseOut, status: "False", severity: Warning, meaning: A fuse is out.}
`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := story.Parse("fuse.txtar", []byte(`# A fuse goes out.
apply widget.yaml
report Widget/w Powered=True
settle
expect Widget/w Ready=True
note "the fuse goes out"
report Widget/w Powered=False FuseOut "fuse 3"
settle
writes 2
expect Widget/w Ready=True
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r := &story.Runner{World: story.NewMemoryWorld(set), Observe: func(e story.Event) {
		if note, ok := e.Step.Command.(story.Note); ok && e.Done {
			fmt.Println(note.Text)
		}
	}}
	fmt.Println(r.Run(context.Background(), s))
	// Output:
	// the fuse goes out
	// fuse.txtar:10: Widget/w has Ready=False FuseOut "Powered(FuseOut): fuse 3"; want Ready=True
}
