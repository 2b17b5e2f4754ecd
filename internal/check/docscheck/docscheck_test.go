// SPDX-License-Identifier: Apache-2.0

package docscheck

import (
	"testing"

	"github.com/tristate/tristate/internal/check/checktest"
)

func TestExamples(t *testing.T) { checktest.Run(t, All, nil) }
