// SPDX-License-Identifier: Apache-2.0

package why

import (
	"context"
	"regexp"

	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/declare/nested"

	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/partial"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// logLines is how many lines --logs shows without a number.
const logLines = "10"

var podKind = schema.GroupKind{Kind: "Pod"}

// logs returns a function that reads the last lines of the container that explains a cause; nil without --logs. An error is
// shown in place of the lines, and the answer depends on it.
func (o *options) logs(ctx context.Context, v *view.View) func(*relation.Node) *render.Logs {
	if o.logLines == 0 {
		return nil
	}
	known := map[relation.ID]*render.Logs{}
	return func(n *relation.Node) *render.Logs {
		pod := v.Walk.Graph.Get(n.ID)
		if n.GroupKind != podKind || pod == nil {
			return nil
		}
		if known[n.ID] == nil {
			known[n.ID] = o.read(ctx, v, pod, n.Judgement)
		}
		return known[n.ID]
	}
}

func (o *options) read(ctx context.Context, v *view.View, pod *relation.Object, j relation.Judgement) *render.Logs {
	container, previous := failing(pod, j)
	if container == "" {
		return nil
	}
	lines, err := v.Cluster.Logs(ctx, pod.ID, container, previous, o.logLines)
	if err != nil && previous && err.Reason() == cluster.Invalid { // the log of the run before was deleted
		previous = false
		lines, err = v.Cluster.Logs(ctx, pod.ID, container, previous, o.logLines)
	}
	out := &render.Logs{Container: container, Previous: previous, Lines: lines}
	if err != nil {
		out.Error = err.Error()
		v.Reading.Add(partial.Part, err)
	}
	return out
}

// containerIn finds the name of a container in a path of evidence.
var containerIn = regexp.MustCompile(`ontainerStatuses\[\?\(@\.name=="([^"]+)"\)\]`)

// failing returns the container that explains the verdict about a pod, and whether its previous run does: the one that the evidence names,
// or else the first that is not ready. It is empty where no container has started.
func failing(pod *relation.Object, j relation.Judgement) (name string, previous bool) {
	named := ""
	for _, e := range j.Evidence {
		if m := containerIn.FindStringSubmatch(e.Path); m != nil && named == "" {
			named = m[1]
		}
	}
	for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
		for _, c := range nested.Maps(pod.Content, "status", field) {
			name := nested.Text(c, "name")
			if named != "" && name != named || named == "" && c["ready"] == true {
				continue
			}
			switch {
			case nested.Map(c, "state", "running") != nil, nested.Map(c, "state", "terminated") != nil:
				return name, false
			case nested.Map(c, "lastState", "terminated") != nil:
				return name, true
			}
		}
	}
	return "", false
}
