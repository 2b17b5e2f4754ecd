// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"sync/atomic"
	"time"
)

// moment is a time in both forms.
type moment struct {
	unix int64
	text string
}

// before reports whether a time in the form of the API server is not after another one, in Unix seconds: such times sort like their texts.
// It reports false for any other form.
func before(limit *atomic.Pointer[moment], s string, unix int64) bool {
	if len(s) != len("2006-01-02T15:04:05Z") || s[len(s)-1] != 'Z' {
		return false
	}
	m := limit.Load()
	if m == nil || m.unix != unix {
		m = &moment{unix, time.Unix(unix, 0).UTC().Format(time.RFC3339)}
		limit.Store(m)
	}
	return len(m.text) == len(s) && s <= m.text
}

// unixOf reads a time, in Unix seconds; 0 where it is none.
func unixOf(s string) int64 {
	if t := timeOf(s); !t.IsZero() {
		return t.Unix()
	}
	return 0
}

// timeOf reads a time; zero where it is none.
func timeOf(s string) time.Time {
	if s == "" {
		return time.Time{} // an error would be allocated
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
