// SPDX-License-Identifier: Apache-2.0

package verdict

import "time"

// unixOf reads a time as the API server writes it, in Unix seconds; 0 where there is none.
func unixOf(s string) int64 {
	if s == "" {
		return 0
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0
	}
	return t.Unix()
}
