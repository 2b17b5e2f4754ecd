// SPDX-License-Identifier: Apache-2.0

package stage

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// Sample writes all objects of some kinds to a file of the folder [Options.Samples], without managed fields. It does nothing if no
// folder is named.
func (s *Stage) Sample(ctx context.Context, file string, kinds ...schema.GroupVersionKind) {
	if s.samples == "" {
		return
	}
	s.Do(func() error {
		var out bytes.Buffer
		out.WriteString("# Recorded from the demo of the operator by go test . -run TestDemo -update.\n")
		for _, kind := range kinds {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
			if err := s.API.List(ctx, list); err != nil {
				return err
			}
			for i := range list.Items {
				o := &list.Items[i]
				o.SetManagedFields(nil)
				o.SetResourceVersion("")
				data, err := yaml.Marshal(o.Object)
				if err != nil {
					return err
				}
				fmt.Fprintf(&out, "---\n%s", data)
			}
		}
		return os.WriteFile(filepath.Join(s.samples, file), out.Bytes(), 0o644)
	})
}
