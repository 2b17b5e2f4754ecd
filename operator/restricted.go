// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"
	"strings"

	"github.com/tristate/tristate/operator/child"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// restricted is the client of a manager whose cache has only the operator's own objects of some kinds. An object that the cache lacks but
// the API server has is an error, because NotFound would be wrong, and would stay wrong forever. So is a list of such a kind that does not
// ask for the operator's own objects, because it would lack all others.
type restricted struct {
	client.Client
	live    client.Reader
	account string // whose objects the cache has
	kinds   map[schema.GroupKind]bool
}

// restrict returns a function that makes a restricted client around the one that another function makes; nil: client.New.
func restrict(make client.NewClientFunc, account string, children []client.Object) client.NewClientFunc {
	if make == nil {
		make = client.New
	}
	return func(config *rest.Config, o client.Options) (client.Client, error) {
		inner, err := make(config, o)
		if err != nil {
			return nil, err
		}
		live, err := client.New(config, client.Options{HTTPClient: o.HTTPClient, Scheme: o.Scheme, Mapper: o.Mapper})
		if err != nil {
			return nil, err
		}
		r := &restricted{Client: inner, live: live, account: account, kinds: map[schema.GroupKind]bool{}}
		for _, c := range children {
			gvk, err := inner.GroupVersionKindFor(c)
			if err != nil {
				return nil, err
			}
			r.kinds[gvk.GroupKind()] = true
		}
		return r, nil
	}
}

// Get implements client.Reader.
func (r *restricted) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	missing := r.Client.Get(ctx, key, object, opts...)
	if !apierrors.IsNotFound(missing) {
		return missing
	}
	gvk, err := r.GroupVersionKindFor(object)
	if err != nil || !r.kinds[gvk.GroupKind()] {
		return missing
	}
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(gvk)
	switch err := r.live.Get(ctx, key, found); {
	case apierrors.IsNotFound(err), err == nil && found.Labels[child.LabelManaged] == r.account: // the cache does not have it yet
		return missing
	case err != nil:
		return err
	}
	return fmt.Errorf("%s %s exists, but %s did not create it, and the cache has only what it created: "+
		"read it with Host.Manager.GetAPIReader()", gvk.Kind, key, r.account)
}

// List implements client.Reader.
func (r *restricted) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	gvk, err := r.GroupVersionKindFor(list)
	if err != nil {
		return r.Client.List(ctx, list, opts...) // which reports the error
	}
	kind := schema.GroupKind{Group: gvk.Group, Kind: strings.TrimSuffix(gvk.Kind, "List")}
	o := (&client.ListOptions{}).ApplyOptions(opts)
	if !r.kinds[kind] || o.LabelSelector != nil && asksFor(o.LabelSelector, r.account) {
		return r.Client.List(ctx, list, opts...)
	}
	return fmt.Errorf("list %s: the cache has only what %s created: add client.MatchingLabels{%q: %q}, or list with "+
		"Host.Manager.GetAPIReader()", kind.Kind, r.account, child.LabelManaged, r.account)
}

// asksFor reports whether a selector chooses objects of one account only.
func asksFor(selector labels.Selector, account string) bool {
	value, found := selector.RequiresExactMatch(child.LabelManaged)
	return found && value == account
}
