// SPDX-License-Identifier: Apache-2.0

package compatcheck

import (
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/declare/diff"
	"github.com/tristate/tristate/proof/checktest"
)

func TestExamples(t *testing.T) { checktest.Run(t, All, nil) }

// TestResidual: a change that no check is about is reported by the last one.
func TestResidual(t *testing.T) {
	if c := For(diff.Change{ID: "unhandled-change"}); c != other {
		t.Errorf("a change without a rule is reported by %s", c.ID)
	}
	for _, c := range own {
		if _, rule, _ := strings.Cut(c.ID, "/"); For(diff.Change{ID: rule}) != c {
			t.Errorf("%s does not report its own rule", c.ID)
		}
	}
}
