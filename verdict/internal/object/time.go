// SPDX-License-Identifier: Apache-2.0

package object

import "time"

// UnixOf reads a time, in Unix seconds; 0 where it is none.
func UnixOf(s string) int64 {
	if t := TimeOf(s); !t.IsZero() {
		return t.Unix()
	}
	return 0
}

// TimeIn is TimeOf for any text of an object. It allocates nothing for one that has not the form of a time.
func TimeIn(s string) time.Time {
	if len(s) < len("2006-01-02T15:04:05Z") || len(s) > len(time.RFC3339Nano) || s[4] != '-' || s[10] != 'T' || s[13] != ':' {
		return time.Time{}
	}
	return TimeOf(s)
}

// TimeOf reads a time; zero where it is none.
func TimeOf(s string) time.Time {
	if s == "" {
		return time.Time{} // an error would be allocated
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
