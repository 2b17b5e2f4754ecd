// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"io"
	"os"
	"strings"
)

const (
	tailLines = 10
	tailBytes = 8 << 10
	lineBytes = 400
)

// Tail returns the last n non-empty lines of a file, indented and each cut at 400 bytes; "" without any. It reads no
// more than the last 8 KiB. The stacks of a program that panicked are left out: why it did is in the lines before.
func Tail(path string, n int) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		if _, err := f.Seek(-tailBytes, io.SeekEnd); err != nil {
			return ""
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, tailBytes))
	if err != nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, ":") {
			break
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if len(line) > lineBytes {
			line = strings.ToValidUTF8(line[:lineBytes], "") + " ..."
		}
		lines = append(lines, "  "+line)
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
