// SPDX-License-Identifier: Apache-2.0

package codecheck

import (
	"context"
	"testing"

	"github.com/tristate/tristate/internal/declare/source"
	"github.com/tristate/tristate/internal/declare/source/goscan"
	"github.com/tristate/tristate/internal/declare/source/treescan"
	"github.com/tristate/tristate/internal/prove/checktest"
)

func TestExamples(t *testing.T) {
	checktest.Run(t, All, func(folder string) ([]*source.Scan, error) {
		modules, err := goscan.Folders(folder)
		if err != nil {
			return nil, err
		}
		var out []*source.Scan
		for _, module := range modules {
			scan, err := goscan.Scan(context.Background(), module, goscan.Options{})
			if err != nil {
				return nil, err
			}
			out = append(out, scan)
		}
		text, err := treescan.Scan(context.Background(), folder)
		return append(out, text...), err
	})
}
