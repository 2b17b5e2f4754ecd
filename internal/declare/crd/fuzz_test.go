// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"encoding/json"
	"testing"

	"github.com/tristate/tristate/internal/declare/crd"
)

// FuzzRead: no definition makes reading panic, and one that is read answers every question.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"spec":{"group":"example.dev","scope":"Namespaced","names":{"kind":"Thing","plural":"things","shortNames":["th"]},` +
		`"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"properties":` +
		`{"status":{"properties":{"conditions":{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["type"]}}}}}}}]}}`))
	f.Add([]byte(`{"spec":{"versions":[null,3,{"name":"v1","schema":{"openAPIV3Schema":{"properties":{"status":null}}}}]}}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		var content map[string]any
		if json.Unmarshal(data, &content) != nil {
			return
		}
		d, err := crd.ReadWhole(content)
		if err != nil {
			return
		}
		d.Established()
		d.Words()
		for _, version := range append(d.Served(), d.Stored(), "") {
			d.StatusSchema(version)
			d.ListIsMap(version, []string{"status", "conditions"})
			d.Mapping(version)
		}
	})
}
