// SPDX-License-Identifier: Apache-2.0

package recorded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// Making reports whether a test makes its record instead of using it: TRISTATE_RECORD is 1.
func Making() bool { return os.Getenv("TRISTATE_RECORD") == "1" }

// Keep reports whether an object belongs to a record.
type Keep func(*unstructured.Unstructured) bool

// Save returns the objects of some kinds as YAML documents, in the order of the kinds, and of a kind by namespace and name.
func Save(ctx context.Context, c client.Client, kinds []schema.GroupVersionKind, keep Keep) ([]byte, error) {
	var out bytes.Buffer
	for _, kind := range kinds {
		items, err := list(ctx, c, kind, keep)
		if meta.IsNoMatchError(err) { // the version before does not have it
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, o := range items {
			o.SetResourceVersion("")
			if kind.Group == "apps" {
				delete(o.Object, "status")
			}
			data, err := yaml.Marshal(o.Object)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&out, "---\n%s", data)
		}
	}
	return out.Bytes(), nil
}

// list returns the objects of a kind that belong to a record.
func list(ctx context.Context, c client.Client, kind schema.GroupVersionKind, keep Keep) ([]unstructured.Unstructured, error) {
	var all unstructured.UnstructuredList
	all.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := c.List(ctx, &all); err != nil {
		return nil, fmt.Errorf("list %s: %w", kind.Kind, err)
	}
	return slices.DeleteFunc(all.Items, func(o unstructured.Unstructured) bool { return !keep(&o) }), nil
}

// Record are objects that were restored.
type Record struct {
	c        client.Client
	kinds    []schema.GroupVersionKind
	keep     Keep
	versions map[string]string // resource versions, by kind, namespace and name
}

// Restore puts recorded objects on a control plane of this machine, of which kubeconfig is the file in its data folder, and waits until
// the API server has them. kinds are the kinds of which changes are looked for.
func Restore(ctx context.Context, c client.Client, kubeconfig string, data []byte, kinds []schema.GroupVersionKind, keep Keep) (*Record,
	error) {
	store, r := open(kubeconfig), &Record{c: c, kinds: kinds, keep: keep}
	for document := range bytes.SplitSeq(data, []byte("\n---\n")) {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(bytes.TrimPrefix(document, []byte("---\n")), &o.Object); err != nil {
			return nil, err
		}
		kind := o.GroupVersionKind()
		mapping, err := served(ctx, func() (schema.GroupVersionResource, error) {
			m, err := c.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
			if err != nil {
				return schema.GroupVersionResource{}, err
			}
			return m.Resource, nil
		})
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.Object)
		if err != nil {
			return nil, err
		}
		if err := store.put(ctx, keyOf(o, mapping), value); err != nil {
			return nil, err
		}
		if _, err := served(ctx, func() (struct{}, error) {
			have := &unstructured.Unstructured{}
			have.SetGroupVersionKind(kind)
			err := c.Get(ctx, client.ObjectKeyFromObject(o), have)
			if err == nil && have.GetUID() != o.GetUID() {
				err = fmt.Errorf("%s %s has another uid", kind.Kind, o.GetName())
			}
			if err == nil { // the API server stores it in its own encoding: without that the first apply, which changes nothing, would
				err = c.Update(ctx, have)
			}
			return struct{}{}, err
		}); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// served repeats a request until it is answered without an error, for five minutes at most.
func served[T any](ctx context.Context, ask func() (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for {
		out, err := ask()
		if err == nil {
			return out, nil
		}
		select {
		case <-ctx.Done():
			return out, errors.Join(err, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// read returns the versions of all objects now.
func (r *Record) read(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for _, kind := range r.kinds {
		items, err := list(ctx, r.c, kind, r.keep)
		if err != nil {
			return nil, err
		}
		for _, o := range items {
			out[kind.Kind+" "+client.ObjectKeyFromObject(&o).String()] = o.GetResourceVersion()
		}
	}
	return out, nil
}

// Note remembers the objects as they are now.
func (r *Record) Note(ctx context.Context) (err error) {
	r.versions, err = r.read(ctx)
	return err
}

// Changed lists, as "KIND NAMESPACE/NAME: what", the objects of the kinds of the record that were created, written or deleted since Note.
func (r *Record) Changed(ctx context.Context) (out []string, err error) {
	now, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	for name, version := range now {
		switch before, was := r.versions[name]; {
		case !was:
			out = append(out, name+": created")
		case before != version:
			out = append(out, name+": written")
		}
	}
	for name := range r.versions {
		if now[name] == "" {
			out = append(out, name+": deleted")
		}
	}
	slices.Sort(out)
	return out, nil
}
