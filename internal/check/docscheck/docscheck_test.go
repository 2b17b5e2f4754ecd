// SPDX-License-Identifier: Apache-2.0

package docscheck

import (
	"testing"

	"github.com/tristate/tristate/proof/checktest"
)

func TestExamples(t *testing.T) { checktest.Run(t, All, nil) }
