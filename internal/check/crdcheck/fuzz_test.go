// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"bytes"
	"testing"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/proof/checktest"
)

// FuzzDefinition: no definition makes its checks panic, and each finding has a place in the file.
func FuzzDefinition(f *testing.F) {
	f.Add([]byte("kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nmetadata: {name: lamps.example.org}\nspec: {group: example.org, names: {kind: Lamp, plural: lamps}, scope: Namespaced, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n"))
	f.Add([]byte("kind: CustomResourceDefinition\nspec: {versions: [null, 3]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e := checktest.Load(t, []check.File{{Name: "lamp.yaml", Data: []byte(checktest.Lamp)}, {Name: "crd.yaml", Data: data}}, nil)
		for _, found := range check.Run(e, All, check.Options{Now: checktest.Now}).Findings(check.Info) {
			if at := found.Position; at.File == "crd.yaml" && at.Line > bytes.Count(data, []byte("\n"))+1 {
				t.Errorf("line %d is beyond the file: %v", at.Line, found)
			}
		}
	})
}
