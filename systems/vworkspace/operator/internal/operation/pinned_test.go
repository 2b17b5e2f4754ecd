// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestPinned: a WorkflowTemplate that refers to a template of another one cannot be approved, wherever it refers to it. That one may be
// edited after the approval, and would run.
func TestPinned(t *testing.T) {
	const ref = `"templateRef":{"name":"shared","template":"t"}`
	for text, place := range map[string]string{
		`{"entrypoint":"main","templates":[{"name":"main","container":{"image":"i"}}]}`:                   "",
		`{"entrypoint":"main","templates":[{"name":"main","steps":[[{"name":"s","template":"other"}]]}]}`: "",
		`{"templates":[{"name":"main","steps":[[{"name":"s",` + ref + `}]]}]}`:                            "spec.templates[0].steps[0][0].templateRef",
		`{"templates":[{"name":"main","dag":{"tasks":[{"name":"a"},{` + ref + `}]}}]}`:                    "spec.templates[0].dag.tasks[1].templateRef",
		`{"hooks":{"exit":{` + ref + `}}}`:                                                                "spec.hooks.exit.templateRef",
		`{"workflowTemplateRef":{"name":"shared"}}`:                                                       "spec.workflowTemplateRef",
	} {
		var content map[string]any
		if err := json.Unmarshal([]byte(text), &content); err != nil {
			t.Fatal(err)
		}
		err := pinned("spec", content)
		if errors.Is(err, errUnpinned) != (place != "") || err != nil && !strings.HasPrefix(err.Error(), place+": ") {
			t.Errorf("%s: %v, want a refusal at %q", text, err, place)
		}
	}
}
