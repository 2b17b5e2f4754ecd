// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/check/evidence"
)

// TestEndlessFile: a file that never ends is a fault, and is not read until the memory is full.
func TestEndlessFile(t *testing.T) {
	const zero = "/dev/zero"
	if _, err := os.Stat(zero); err != nil {
		t.Skip("skipped: the system has no " + zero)
	}
	e := evidence.New()
	if err := e.Read([]string{zero}, nil); err != nil {
		t.Fatal(err)
	}
	if len(e.Unreadable) != 1 || !strings.Contains(e.Unreadable[0].Message, "has more than 64 MiB") {
		t.Error(e.Unreadable)
	}
}
