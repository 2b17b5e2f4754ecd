// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"strings"
	"testing"

	"github.com/tristate/tristate/operator/child"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// objects is a client that has labels of objects by name.
type objects struct {
	client.Client
	labels map[string]map[string]string
}

// Get implements client.Reader.
func (s objects) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	labels, ok := s.labels[key.Name]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	object.SetLabels(labels)
	return nil
}

// List implements client.Reader.
func (s objects) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// GroupVersionKindFor implements client.Client.
func (s objects) GroupVersionKindFor(object runtime.Object) (schema.GroupVersionKind, error) {
	switch object.(type) {
	case *corev1.Secret:
		return corev1.SchemeGroupVersion.WithKind("Secret"), nil
	case *corev1.SecretList:
		return corev1.SchemeGroupVersion.WithKind("SecretList"), nil
	case *corev1.ConfigMapList:
		return corev1.SchemeGroupVersion.WithKind("ConfigMapList"), nil
	}
	return corev1.SchemeGroupVersion.WithKind("ConfigMap"), nil
}

// TestRestricted: an object that exists, but that the operator did not create, is never reported as missing.
func TestRestricted(t *testing.T) {
	own := map[string]string{child.LabelManaged: "box-operator"}
	server := map[string]map[string]string{"own": own, "late": own, "foreign": nil}
	cached := map[string]map[string]string{"own": own}
	r := &restricted{Client: objects{labels: cached}, live: objects{labels: server}, account: "box-operator",
		kinds: map[schema.GroupKind]bool{{Kind: "ConfigMap"}: true}}
	tests := map[string]struct {
		object  client.Object
		name    string
		missing bool
		want    string // of another error
	}{
		"an own object":                              {&corev1.ConfigMap{}, "own", false, ""},
		"an object that nobody has":                  {&corev1.ConfigMap{}, "nobody", true, ""},
		"an own object that the cache does not have": {&corev1.ConfigMap{}, "late", true, ""},
		"an object of others":                        {&corev1.ConfigMap{}, "foreign", false, "ConfigMap a/foreign exists, but box-operator did not create it"},
		"a kind that is not restricted":              {&corev1.Secret{}, "foreign", true, ""},
	}
	for name, test := range tests {
		err := r.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: test.name}, test.object)
		switch {
		case apierrors.IsNotFound(err) != test.missing:
			t.Errorf("%s: %v, want NotFound: %v", name, err, test.missing)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", name, err, test.want)
		case test.want == "" && !test.missing && err != nil:
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRestricted_list: a list never leaves out objects of others without an error.
func TestRestricted_list(t *testing.T) {
	r := &restricted{Client: objects{}, account: "box-operator", kinds: map[schema.GroupKind]bool{{Kind: "ConfigMap"}: true}}
	tests := map[string]struct {
		list client.ObjectList
		opts []client.ListOption
		fail bool
	}{
		"all of a restricted kind":           {&corev1.ConfigMapList{}, nil, true},
		"a restricted kind by another label": {&corev1.ConfigMapList{}, []client.ListOption{client.MatchingLabels{"app": "web"}}, true},
		"the objects of another account":     {&corev1.ConfigMapList{}, []client.ListOption{client.MatchingLabels{child.LabelManaged: "other"}}, true},
		"its own objects":                    {&corev1.ConfigMapList{}, []client.ListOption{client.MatchingLabels{child.LabelManaged: "box-operator"}}, false},
		"a kind that is not restricted":      {&corev1.SecretList{}, nil, false},
	}
	for name, test := range tests {
		if err := r.List(t.Context(), test.list, test.opts...); (err != nil) != test.fail {
			t.Errorf("%s: error %v, want one: %v", name, err, test.fail)
		}
	}
}
