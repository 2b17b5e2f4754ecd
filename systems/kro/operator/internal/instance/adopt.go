// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kubernetes-sigs/kro/pkg/controller/instance/applyset"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/systems/kro/operator/internal/definition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// Adopt decides which objects that exist already an instance takes over.
type Adopt string

// The values of Adopt.
const (
	AdoptNever    Adopt = "never"
	AdoptLabelled Adopt = "labelled" // those that have the label LabelAdopt; the zero value is the same
	AdoptAlways   Adopt = "always"   // as kro 0.9.4, which applies over every object and deletes it with the instance
)

// LabelAdopt is the label "true" by which the owner of an object permits instances to take it over.
const LabelAdopt = "tristate.dev/adopt"

// ParseAdopt parses a value of Adopt.
func ParseAdopt(text string) (Adopt, error) {
	if a := Adopt(text); slices.Contains([]Adopt{AdoptNever, AdoptLabelled, AdoptAlways}, a) {
		return a, nil
	}
	return "", fmt.Errorf("%q is neither never, labelled nor always", text)
}

// foreignError reports an object that exists and was not made by the instance.
type foreignError struct{ object, hint string }

func (e *foreignError) Error() string {
	return e.object + " exists and was not made by this instance; " + e.hint
}

// claim returns an error for an object that exists, is not the instance's, and may not become so. It adds the proof to
// one that the instance creates now or has created. The apply set itself refuses the objects of other instances.
func (p *pass) claim(item applyset.Resource) error {
	current := item.Current
	if current == nil {
		return p.prove(item.Object)
	}
	if of := current.GetLabels()[applyset.ApplysetPartOfLabel]; of != "" && of != applyset.ID(p.instance) {
		return nil
	}
	if proven, err := p.proven(current); err != nil {
		return err
	} else if proven {
		return p.prove(item.Object)
	}
	if applied(current) {
		return nil
	}
	allowed := p.Adopt == AdoptAlways || p.Adopt != AdoptNever && current.GetLabels()[LabelAdopt] == "true"
	switch {
	case !allowed && p.Adopt == AdoptNever:
		return &foreignError{name(current), "the operator runs with --adopt never"}
	case !allowed:
		return &foreignError{name(current), "the instance adopts it once it has the label " + LabelAdopt + "=true"}
	}
	p.f.Adopted = append(p.f.Adopted, name(current))
	return nil
}

// applied reports whether kro or the operator has applied an object before, as the API server recorded it.
func applied(o *unstructured.Unstructured) bool {
	return slices.ContainsFunc(o.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return ours(e) })
}

func ours(e metav1.ManagedFieldsEntry) bool {
	return e.Manager == applyset.FieldManager && e.Operation == metav1.ManagedFieldsOperationApply && e.Subresource == ""
}

// release removes everything by which the instance knows an object that it did not create, and leaves the object.
func (p *pass) release(c applyset.OrphanCandidate) error {
	o, gone := c.Object, map[string]any{}
	for k := range o.GetLabels() {
		if k == applyset.ApplysetPartOfLabel || strings.HasPrefix(k, "kro.run/") || strings.HasPrefix(k, "internal.kro.run/") {
			gone[k] = nil
		}
	}
	notes := map[string]any{AnnotationMade: nil, definition.AnnotationHash: nil, metadata.ApplyOrderAnnotation: nil}
	managers := slices.DeleteFunc(o.GetManagedFields(), ours)
	if len(managers) == 0 {
		managers = []metav1.ManagedFieldsEntry{{}} // an empty list would be ignored
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": o.GetUID(), "resourceVersion": o.GetResourceVersion(),
		"labels": gone, "annotations": notes, "managedFields": managers}})
	if err != nil {
		return err
	}
	var client dynamic.ResourceInterface = p.Client.Resource(c.GVR)
	if o.GetNamespace() != "" {
		client = p.Client.Resource(c.GVR).Namespace(o.GetNamespace())
	}
	_, err = client.Patch(p.ctx, o.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: definition.Manager})
	return err
}
