// SPDX-License-Identifier: Apache-2.0

package output

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// FuzzNewPrinter: no format makes a printer panic: it is refused, or prints.
func FuzzNewPrinter(f *testing.F) {
	for _, format := range append(slices.Clone(Formats), "custom-columns=A:.object.name,B:{.causes[*].reason}", "jsonpath={range .items[*]}{.reason}{end}",
		"go-template={{range .items}}{{.reason}}{{end}}") {
		f.Add(format)
	}
	f.Fuzz(func(_ *testing.T, format string) {
		if strings.Contains(format, "file=") {
			return // it names a file of this machine
		}
		print, err := NewPrinter(format, false)
		if err == nil {
			_ = print(io.Discard, slices.Values(twoPods())) // a path may lead nowhere
		}
	})
}
