// SPDX-License-Identifier: Apache-2.0

package why

import (
	"testing"

	"github.com/tristate/tristate/internal/fleet/relation"
)

// TestFailing: without a container in the evidence the first one that is not ready explains the verdict.
func TestFailing(t *testing.T) {
	pod := relation.FromContent(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p"},
		"status": map[string]any{
			"initContainerStatuses": []any{map[string]any{"name": "init", "ready": true,
				"state": map[string]any{"terminated": map[string]any{"exitCode": int64(0)}}}},
			"containerStatuses": []any{
				map[string]any{"name": "fine", "ready": true, "state": map[string]any{"running": map[string]any{}}},
				map[string]any{"name": "slow", "ready": false, "state": map[string]any{"running": map[string]any{}}},
				"no container", map[string]any{"name": int64(3)}}}})
	if name, previous := failing(pod, relation.Judgement{}); name != "slow" || previous {
		t.Errorf("blamed %q, previous %v", name, previous)
	}
	empty := relation.FromContent(map[string]any{"kind": "Pod", "status": "odd"})
	if name, _ := failing(empty, relation.Judgement{}); name != "" {
		t.Errorf("blamed %q", name)
	}
}
