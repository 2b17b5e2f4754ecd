// SPDX-License-Identifier: Apache-2.0

package child

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// entry returns the managed fields that a manager has applied; nil: none.
func entry(o metav1.Object, manager string) *metav1.ManagedFieldsEntry {
	fields := o.GetManagedFields()
	for n := range fields {
		if e := &fields[n]; e.Manager == manager && e.Operation == metav1.ManagedFieldsOperationApply && e.Subresource == "" &&
			e.FieldsV1 != nil {
			return e
		}
	}
	return nil
}

// holding returns a hash of the fields that the writer has applied to an object and of their values. The object is compared in the form of
// the author's type, since the forms of the cache and of an answer differ in zero values.
func (c *Writer) holding(i *intent, o client.Object) (out [16]byte, err error) {
	e := entry(o, c.Manager)
	if e == nil {
		return out, nil
	}
	set, err := decode(*e)
	if err != nil {
		return out, fmt.Errorf("read the managed fields of %s: %w", i.ref, err)
	}
	content, err := i.contentOf(o)
	if err != nil {
		return out, err
	}
	h := sha256.New()
	values := json.NewEncoder(h)
	set.Leaves().Iterate(func(p fieldpath.Path) {
		fmt.Fprintf(h, "%s=", p)
		err = errors.Join(err, values.Encode(valueAt(content, p)))
	})
	copy(out[:], h.Sum(nil))
	return out, err
}

// contentOf returns the content of an object in the form of the author's type.
func (i *intent) contentOf(o client.Object) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil || reflect.TypeOf(o) == reflect.TypeOf(i.object) {
		return content, err
	}
	typed := reflect.New(reflect.TypeOf(i.object).Elem()).Interface()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, typed); err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
}

// valueAt returns the value at a path of managed fields; nil: there is no value.
func valueAt(content any, p fieldpath.Path) any {
	for _, e := range p {
		fields, _ := content.(map[string]any)
		items, _ := content.([]any)
		switch {
		case e.FieldName != nil:
			content = fields[*e.FieldName]
		case e.Index != nil && *e.Index < len(items):
			content = items[*e.Index]
		default:
			at := slices.IndexFunc(items, func(item any) bool { return selects(e, item) })
			if at < 0 {
				return nil
			}
			content = items[at]
		}
	}
	return content
}

// selects reports whether an element of a path is an item of a list: the item has its keys, or is its value.
func selects(e fieldpath.PathElement, item any) bool {
	if e.Value != nil {
		return value.Equals(*e.Value, value.NewValueInterface(item))
	}
	fields, is := item.(map[string]any)
	return is && e.Key != nil && !slices.ContainsFunc(*e.Key, func(key value.Field) bool {
		return !value.Equals(key.Value, value.NewValueInterface(fields[key.Name]))
	})
}

// additions returns the indexes of the managed fields of other writers who own content of a child; none unless the writer is exact.
// Metadata, the status and what comes by a subresource are no content.
func (c *Writer) additions(o metav1.Object) (out []int) {
	if !c.Exact {
		return nil
	}
	for n, e := range o.GetManagedFields() {
		if e.Subresource != "" || e.FieldsV1 == nil || e.Manager == c.Manager && e.Operation == metav1.ManagedFieldsOperationApply {
			continue
		}
		var top map[string]json.RawMessage
		if json.Unmarshal(e.FieldsV1.GetRawBytes(), &top) != nil {
			continue
		}
		for key := range top {
			if strings.HasPrefix(key, "f:") && !envelope[key] {
				out = append(out, n)
				break
			}
		}
	}
	return out
}

// envelope are the fields of an object that are no content.
var envelope = map[string]bool{"f:apiVersion": true, "f:kind": true, "f:metadata": true, "f:status": true}

// absorb makes the writer the owner of content that others have added, so that the next apply, which does not have it, removes it.
func (c *Writer) absorb(ctx context.Context, i *intent, existing client.Object, additions []int) (client.Object, error) {
	fields := existing.GetManagedFields()
	mine := -1
	for n := range fields {
		if e := &fields[n]; e.Manager == c.Manager && e.Operation == metav1.ManagedFieldsOperationApply && e.Subresource == "" {
			mine = n
		}
	}
	if mine < 0 { // the first apply makes the entry
		return existing, nil
	}
	union, err := decode(fields[mine])
	if err != nil {
		return nil, fmt.Errorf("read the managed fields of %s: %w", i.ref, err)
	}
	entries := make([]metav1.ManagedFieldsEntry, len(fields))
	copy(entries, fields)
	for _, n := range additions {
		theirs, err := decode(fields[n])
		if err != nil {
			return nil, fmt.Errorf("read the managed fields of %s: %w", i.ref, err)
		}
		content := fieldpath.NewSet()
		theirs.Iterate(func(p fieldpath.Path) {
			if name := p[0].FieldName; name != nil && !envelope["f:"+*name] {
				content.Insert(p.Copy())
			}
		})
		union = union.Union(content)
		if entries[n].FieldsV1, err = encode(theirs.Difference(content)); err != nil {
			return nil, err
		}
	}
	if entries[mine].FieldsV1, err = encode(union); err != nil {
		return nil, err
	}
	kept := entries[:0]
	for _, e := range entries {
		if !bytes.Equal(e.FieldsV1.GetRawBytes(), []byte("{}")) {
			kept = append(kept, e)
		}
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": kept},
		{"op": "replace", "path": "/metadata/resourceVersion", "value": existing.GetResourceVersion()},
	})
	if err != nil {
		return nil, err
	}
	target := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: existing.GetNamespace(), Name: existing.GetName()}}
	target.SetGroupVersionKind(i.ref.GroupVersionKind)
	if err := c.Client.Patch(ctx, target, client.RawPatch(types.JSONPatchType, patch)); err != nil {
		return nil, &WriteError{text: fmt.Sprintf("write %s: %s", i.ref, Reason(err)), err: err}
	}
	target.SetManagedFields(fields) // those that say who the other writer is
	return target, nil
}

func decode(e metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := fieldpath.NewSet()
	if e.FieldsV1 == nil {
		return set, nil
	}
	return set, set.FromJSON(e.FieldsV1.GetRawReader())
}

func encode(s *fieldpath.Set) (*metav1.FieldsV1, error) {
	raw, err := s.ToJSON()
	return metav1.NewFieldsV1(string(raw)), err
}

// field is the element of a path that names a field.
func field(name string) fieldpath.PathElement { return fieldpath.PathElement{FieldName: &name} }

// taker is a writer who has changed a child, with a field that it changed.
type taker struct{ manager, path string }

// takers returns the other writers that an object had before the last apply, with a field that this one took back, or that they added.
func takers(before, after metav1.Object, manager string) (out []taker) {
	mine := fieldpath.NewSet()
	if e := entry(after, manager); e != nil {
		if set, err := decode(*e); err == nil {
			mine = set
		}
	}
	for _, e := range before.GetManagedFields() {
		if e.Manager == manager && e.Operation == metav1.ManagedFieldsOperationApply {
			continue
		}
		theirs, err := decode(e)
		if err != nil || e.Subresource == "status" {
			continue
		}
		path := ""
		theirs.Leaves().Iterate(func(p fieldpath.Path) {
			if name := p[0].FieldName; path == "" && (mine.Has(p) || name != nil && !envelope["f:"+*name]) {
				path = strings.TrimPrefix(p.String(), ".")
			}
		})
		if path != "" {
			out = append(out, taker{e.Manager, path})
		}
	}
	return out
}

// unclaim removes from the content of a typed object what the author has not set: a field that its type calls optional and that is zero,
// also where it is a struct, which JSON has in any case, and null. What is applied is claimed, and a claim to a zero value would take the
// field from other writers. With a pointer a zero and a field that is not set differ.
func unclaim(v reflect.Value, content any) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch content := content.(type) {
	case map[string]any:
		switch v.Kind() {
		case reflect.Struct:
			unclaimFields(v, content)
		case reflect.Map:
			for i := v.MapRange(); i.Next(); {
				if i.Key().Kind() == reflect.String {
					unclaim(i.Value(), content[i.Key().String()])
				}
			}
		}
	case []any:
		if v.Kind() == reflect.Slice && v.Len() == len(content) {
			for i := range content {
				unclaim(v.Index(i), content[i])
			}
		}
	}
}

func unclaimFields(v reflect.Value, content map[string]any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			unclaim(v.Field(i), content)
			continue
		case name == "":
			name = f.Name
		}
		value, there := content[name]
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		switch {
		case !there:
		case value == nil || optional && v.Field(i).IsZero():
			delete(content, name)
		default:
			unclaim(v.Field(i), value)
		}
	}
}
