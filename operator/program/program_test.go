// SPDX-License-Identifier: Apache-2.0

package program

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRun(t *testing.T) {
	refused := errors.New("refused")
	tests := map[string]struct {
		args   []string
		err    error
		code   int
		stderr string // its first line
	}{
		"fine":              {[]string{"--listen=x"}, nil, ExitFine, ""},
		"help":              {[]string{"--help"}, nil, ExitFine, "Usage of gadget:"},
		"an unknown flag":   {[]string{"--color"}, nil, ExitUsage, "flag provided but not defined: -color"},
		"a wrong value":     {nil, Usage(refused), ExitUsage, "gadget: refused"},
		"wrapped":           {nil, fmt.Errorf("--listen: %w", Usage(refused)), ExitUsage, "gadget: --listen: refused"},
		"any other failure": {nil, refused, ExitFailed, "gadget: refused"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var stderr strings.Builder
			p := New("gadget", &stderr)
			p.String("listen", "", "address")
			code := p.Run(test.args, func() error { return test.err })
			first, _, _ := strings.Cut(stderr.String(), "\n")
			if diff := cmp.Diff([]any{test.code, test.stderr}, []any{code, first}); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
