// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"encoding/json"

	"github.com/tristate/tristate/internal/read/input"
)

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
