// SPDX-License-Identifier: Apache-2.0

package wiring_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tristate/tristate/internal/read/pack"
	"github.com/tristate/tristate/internal/read/relation"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// TestScenes: in each scene the object of its first line is the first cause, and the only one, with the text about it. In those of nothing
// no cause is named but what is in progress within its budget.
func TestScenes(t *testing.T) {
	var scenes []txtar.File
	for _, name := range []string{"scenes", "campaign"} {
		archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		scenes = append(scenes, archive.Files...)
	}
	for _, scene := range scenes {
		t.Run(scene.Name, func(t *testing.T) {
			first, rest, _ := strings.Cut(string(scene.Data), "\n")
			object, text, found := strings.Cut(strings.TrimPrefix(first, "# "), ": ")
			g := relation.New(nil)
			for _, document := range strings.Split(rest, "\n---\n") {
				var o map[string]any
				data, err := yaml.YAMLToJSON([]byte(document))
				if err == nil {
					err = json.Unmarshal(data, &o)
				}
				if err != nil {
					t.Fatalf("%v\n%s", err, document)
				}
				g.Put(relation.FromContent(o))
			}
			v := &relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(nil), nil, at)}
			var roots []*relation.Node
			for _, id := range v.Tops(g.AllIDs()) {
				roots = append(roots, v.Build(id))
			}
			var got []string
			for _, c := range v.Ranked(roots) {
				if j := c.Node.Judgement; found || !c.Waiting {
					got = append(got, fmt.Sprintf("%s/%s %s %s=%s %s", c.Node.Kind, c.Node.Name, j.Verdict, j.Type, j.Reason, j.Message))
				}
			}
			switch {
			case !found && len(got) > 0, found && len(got) != 1, found &&
				(!strings.HasPrefix(got[0], object+" ") || !strings.Contains(got[0], text)):
				t.Errorf("causes are\n  %s\nwant %s", strings.Join(got, "\n  "), first)
			}
		})
	}
}
