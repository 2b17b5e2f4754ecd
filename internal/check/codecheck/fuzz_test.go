// SPDX-License-Identifier: Apache-2.0

package codecheck

import (
	"encoding/json"
	"testing"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/declare/source"
	"github.com/tristate/tristate/proof/checktest"
)

// FuzzScan: no answer of the program that scans code makes its count or the checks of code panic.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`[{"Root":"x","Sites":[{"Kinds":["Lamp"],"Types":[{"Text":"Ready","How":"constant"}],"Reason":[{"Text":"No","How":"constant"}]}],` +
		`"Facts":[{"What":"append","Text":"x"}],"Consts":[{"Name":"A","Value":"B"}]}]`))
	f.Add([]byte(`[{"Sites":[{}],"Facts":[{}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var scans []*source.Scan
		if json.Unmarshal(data, &scans) != nil {
			return
		}
		for _, scan := range scans {
			if scan == nil {
				return
			}
			for _, site := range scan.Sites {
				if site == nil {
					return
				}
			}
			scan.Count()
		}
		e := checktest.Load(t, []check.File{{Name: "lamp.yaml", Data: []byte(checktest.Lamp)}}, nil)
		e.Scanned("x", scans...)
		check.Run(e, All, check.Options{Now: checktest.Now})
	})
}
