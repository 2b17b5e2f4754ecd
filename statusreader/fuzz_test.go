// SPDX-License-Identifier: Apache-2.0

package statusreader_test

import (
	"encoding/json"
	"testing"

	"github.com/tristate/tristate/statusreader"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// FuzzReadStatus: no object makes the reader panic, and each has an answer or an error.
func FuzzReadStatus(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x","namespace":"d"},"status":{"conditions":[7,{"type":"Ready"}]}}`))
	f.Add([]byte(`{"apiVersion":7,"kind":"X","metadata":[],"status":""}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var content map[string]any
		if json.Unmarshal(data, &content) != nil || content == nil {
			return
		}
		got, err := statusreader.New(&verdict.Engine{}, nil).ReadStatusForObject(t.Context(), nil, &unstructured.Unstructured{Object: content})
		if err == nil && got == nil {
			t.Error("neither an answer nor an error")
		}
	})
}
