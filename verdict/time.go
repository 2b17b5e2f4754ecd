// SPDX-License-Identifier: Apache-2.0

package verdict

import "time"

// moment is a time, and how the API server writes it.
type moment struct {
	unix int64
	text string
}

// before reports whether a time as the API server writes it is not after another one, in Unix seconds: such times sort like their texts. It reports
// false of a time that is written in another way.
func (e *Engine) before(s string, unix int64) bool {
	if len(s) != len("2006-01-02T15:04:05Z") || s[len(s)-1] != 'Z' {
		return false
	}
	m := e.limit.Load()
	if m == nil || m.unix != unix {
		m = &moment{unix, time.Unix(unix, 0).UTC().Format(time.RFC3339)}
		e.limit.Store(m)
	}
	return len(m.text) == len(s) && s <= m.text
}

// unixOf reads a time as the API server writes it, in Unix seconds; 0 where there is none.
func unixOf(s string) int64 {
	if len(s) == len("2006-01-02T15:04:05Z") && s[4] == '-' && s[7] == '-' && s[10] == 'T' && s[13] == ':' && s[16] == ':' && s[19] == 'Z' {
		year, month, day := digits(s[:4]), digits(s[5:7]), digits(s[8:10])
		hour, minute, second := digits(s[11:13]), digits(s[14:16]), digits(s[17:19])
		if year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60 {
			return (daysTo(year, month, day)*24+hour)*3600 + minute*60 + second
		}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0
	}
	return t.Unix()
}

// digits reads a number of digits only; -1 where it is none.
func digits(s string) int64 {
	n := int64(0)
	for i := range len(s) {
		c := s[i] - '0'
		if c > 9 {
			return -1
		}
		n = n*10 + int64(c)
	}
	return n
}

// daysTo counts the days from 1970-01-01 to a date: years begin in March, so that the leap day is the last one.
func daysTo(year, month, day int64) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468
}
