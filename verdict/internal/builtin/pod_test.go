// SPDX-License-Identifier: Apache-2.0

package builtin

import "testing"

// TestLastWords: the line that says why a container ended is found in what the kubelet keeps of its output.
func TestLastWords(t *testing.T) {
	for output, want := range map[string]string{
		"":           "",
		" \n\n":      "",
		"bye":        "bye",
		"one\ntwo\n": "two",
		"reading shard 2\nFATAL checksum mismatch: error in block 7\n\n":                                    "FATAL checksum mismatch: error in block 7",
		"panic: cannot open store\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:9 +0x1d\n":         "panic: cannot open store",
		"Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: invalid port":             "ValueError: invalid port",
		"Exception in thread \"main\": failed to bind\n\tat Main.main(Main.java:3)\n\t... 3 more\nstopping": "Exception in thread \"main\": failed to bind",
	} {
		if got := lastWords(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
