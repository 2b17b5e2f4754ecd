// SPDX-License-Identifier: Apache-2.0

package karseval

import "testing"

func TestScheduled(t *testing.T) {
	for text, want := range map[string]bool{
		"*/5 * * * *":              true,
		"0 */5 * * * *":            true,
		"0 3 * * MON-FRI":          true,
		"":                         false,
		" ":                        false,
		"@daily":                   false,
		"@every 5m":                false,
		"* * * *":                  false,
		"61 * * * *":               false,
		"TZ=UTC":                   false,
		"CRON_TZ=":                 false,
		"TZ=Europe/Oslo 0 3 * * *": false,
	} {
		if got := scheduled(text); got != want {
			t.Errorf("scheduled(%q) is %t, want %t", text, got, want)
		}
	}
}

func FuzzScheduled(f *testing.F) {
	f.Add("*/5 * * * *")
	f.Add("CRON_TZ=UTC 0 0 * * *")
	f.Fuzz(func(_ *testing.T, text string) { scheduled(text) })
}
