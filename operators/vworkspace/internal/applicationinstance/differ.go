// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// differ appends the paths at which a live value is not the applied one. A map may have more keys, which others or defaults have set.
func differ(path string, applied, live any, paths *[]string) {
	switch want := applied.(type) {
	case map[string]any:
		have, ok := live.(map[string]any)
		if !ok {
			*paths = append(*paths, path)
			return
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			differ(path+"."+key, want[key], have[key], paths)
		}
	case []any:
		have, ok := live.([]any)
		if !ok || len(have) != len(want) {
			*paths = append(*paths, path)
			return
		}
		for i := range want {
			differ(fmt.Sprintf("%s[%d]", path, i), want[i], have[i], paths)
		}
	default:
		if !reflect.DeepEqual(applied, live) {
			*paths = append(*paths, path)
		}
	}
}
