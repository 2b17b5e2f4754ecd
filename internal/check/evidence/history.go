// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/input"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// Timeline are the observations of one object, in the order in which they were made. An object that was removed and created again, which
// its uid shows, has two.
type Timeline struct {
	ID           relation.ID
	Observations []*ObjectView
}

// observedAt is the annotation with the time of an observation, in RFC 3339. Without it the order alone is known.
const observedAt = "tristate.dev/observed-at"

// observe adds an observation to the timeline of its object. If content is a watch event, {type, object}, it adds the
// object.
func (e *Evidence) observe(content map[string]any, at catalog.Position) {
	deleted := false
	if object, ok := content["object"].(map[string]any); ok && content["kind"] == nil {
		deleted = content["type"] == "DELETED"
		content = object
	}
	o := NewObject(content, at)
	o.Deleted = deleted
	annotations := nested.Map(content, "metadata", "annotations")
	text, _ := annotations[observedAt].(string)
	o.Observed, _ = time.Parse(time.RFC3339, text) // zero without the annotation
	for i := len(e.History) - 1; i >= 0; i-- {
		t := e.History[i]
		if t.ID != o.ID {
			continue
		}
		last := t.Observations[len(t.Observations)-1]
		if last.Deleted || last.UID != o.UID {
			break
		}
		t.Observations = append(t.Observations, o)
		return
	}
	e.History = append(e.History, &Timeline{ID: o.ID, Observations: []*ObjectView{o}})
}

// watchEvents reads the lines of a watch, {"type": ..., "object": ...}, as kubectl get --watch --output-watch-events -o json prints them.
// It reports false where the file is something else.
func watchEvents(name string, data []byte) ([]input.Object, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	var out []input.Object
	for d.More() {
		line := 1 + bytes.Count(data[:d.InputOffset()], []byte("\n"))
		var event map[string]any
		if err := d.Decode(&event); err != nil {
			return out, len(out) > 0
		}
		if _, ok := event["object"].(map[string]any); !ok {
			return nil, false
		}
		out = append(out, input.Object{Content: event, File: name, Line: line})
	}
	return out, len(out) > 0
}
