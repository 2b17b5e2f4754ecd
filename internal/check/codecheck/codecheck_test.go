// SPDX-License-Identifier: Apache-2.0

package codecheck

import (
	"testing"

	"github.com/tristate/tristate/internal/declare/source"
	"github.com/tristate/tristate/internal/declare/source/scan"
	"github.com/tristate/tristate/proof/checktest"
)

func TestExamples(t *testing.T) {
	checktest.Run(t, All, func(folder string) ([]*source.Scan, error) { return scan.Folder(t.Context(), folder) })
}
