// SPDX-License-Identifier: Apache-2.0

package cluster

// trimManaged drops the managed fields from the metadata of an object. Those of an object that is being deleted stay: they name the managers of its finalizers.
// Of an object without conditions the time of the last write of its status stays: its verdict holds since then.
func trimManaged(object map[string]any) {
	metadata, _ := object["metadata"].(map[string]any)
	entries, _ := metadata["managedFields"].([]any)
	if len(entries) == 0 {
		delete(metadata, "managedFields")
		return
	}
	if metadata["deletionTimestamp"] != nil {
		return
	}
	delete(metadata, "managedFields")
	status, _ := object["status"].(map[string]any)
	if conditions, _ := status["conditions"].([]any); len(status) == 0 || len(conditions) > 0 {
		return
	}
	last := ""
	for _, entry := range entries {
		if entry, _ := entry.(map[string]any); entry["subresource"] == "status" {
			written, _ := entry["time"].(string)
			last = max(last, written)
		}
	}
	if last != "" {
		metadata["managedFields"] = []any{map[string]any{"subresource": "status", "time": last}}
	}
}
