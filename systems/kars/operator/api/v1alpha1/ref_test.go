// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strings"
	"testing"
)

// TestRef: a reference of a status is one that its schema admits. A ConfigMap that is named after an object of the
// longest name cannot exist.
func TestRef(t *testing.T) {
	for name, want := range map[string]bool{"": false, "tools": true, strings.Repeat("a", 253): true,
		"karsmemory-" + strings.Repeat("a", 253) + "-binding": false} {
		if got := Ref(name); (got != nil) != want || got != nil && got.Name != name {
			t.Errorf("%q: %+v", name, got)
		}
	}
}
