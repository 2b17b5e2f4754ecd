// SPDX-License-Identifier: Apache-2.0

package child

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Drift returns the paths of the content at which a child is not as desired, sorted and in the form "spec.values.image": a value that is
// another one or that is gone, and content that a writer has added, whatever name it has. Defaults of the API server are no drift, since no
// writer claims them. Metadata and the status are no content. It is for kinds whose values are stored as they were written, such as those
// of custom resources.
func (c *Writer) Drift(owner, desired, live client.Object) ([]string, error) {
	i, err := c.intend(owner, desired, Policy{})
	if err != nil {
		return nil, err
	}
	have, err := i.contentOf(live)
	if err != nil {
		return nil, err
	}
	paths := map[string]bool{}
	for key, want := range i.content.Object {
		if !envelope["f:"+key] {
			differ(key, want, have[key], paths)
		}
	}
	for _, e := range live.GetManagedFields() {
		set, err := decode(e)
		if err != nil {
			return nil, fmt.Errorf("read the managed fields of %s: %w", i.ref, err)
		}
		if e.Subresource == "" {
			set.Leaves().Iterate(func(p fieldpath.Path) {
				if name := p[0].FieldName; name != nil && !envelope["f:"+*name] && !nothing(valueAt(have, p)) &&
					valueAt(i.content.Object, p) == nil {
					paths[strings.TrimPrefix(p.String(), ".")] = true
				}
			})
		}
	}
	return slices.Sorted(maps.Keys(paths)), nil
}

// nothing reports whether a value is absent or has no content.
func nothing(v any) bool {
	fields, object := v.(map[string]any)
	items, list := v.([]any)
	return v == nil || object && len(fields) == 0 || list && len(items) == 0
}

// differ adds the paths at which a live value is not the desired one. A map may have more keys.
func differ(path string, desired, live any, paths map[string]bool) {
	switch want := desired.(type) {
	case map[string]any:
		have, ok := live.(map[string]any)
		for key, value := range want {
			differ(path+"."+key, value, have[key], paths)
		}
		if ok || len(want) > 0 {
			return
		}
	case []any:
		if have, ok := live.([]any); ok && len(have) == len(want) {
			for i := range want {
				differ(fmt.Sprintf("%s[%d]", path, i), want[i], have[i], paths)
			}
			return
		}
	}
	if !reflect.DeepEqual(desired, live) {
		paths[path] = true
	}
}

// reported reports whether a child is left as others have changed it: the same content was desired last, and its marks are there.
func (c *Writer) reported(i *intent, existing metav1.Object) bool {
	for key, value := range i.labels {
		if existing.GetLabels()[key] != value {
			return false
		}
	}
	return i.policy.Report && c.marked(i, existing) && existing.GetAnnotations()[c.annotationHash()] == i.hash
}
