// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/graph/crd/compat"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/operator/child"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// AnnotationHash is the annotation with the hash of the content that was applied last.
const AnnotationHash = "tristate.dev/applied-hash"

// metaConditions returns the schema of a list of metav1.Condition that is merged by type.
func metaConditions() apiext.JSONSchemaProps {
	text := func(least, most int64, pattern string) apiext.JSONSchemaProps {
		p := apiext.JSONSchemaProps{Type: "string", MaxLength: ptr.To(most), Pattern: pattern}
		if least > 0 {
			p.MinLength = ptr.To(least)
		}
		return p
	}
	return apiext.JSONSchemaProps{
		Type: "array", XListType: ptr.To("map"), XListMapKeys: []string{"type"},
		Items: &apiext.JSONSchemaPropsOrArray{Schema: &apiext.JSONSchemaProps{
			Type: "object", Required: []string{"lastTransitionTime", "message", "reason", "status", "type"},
			Properties: map[string]apiext.JSONSchemaProps{
				"type": text(0, 316,
					`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`),
				"status": {Type: "string", Enum: []apiext.JSON{{Raw: []byte(`"True"`)}, {Raw: []byte(`"False"`)},
					{Raw: []byte(`"Unknown"`)}}},
				"reason":             text(1, 1024, `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`),
				"message":            text(0, 32768, ""),
				"lastTransitionTime": {Type: "string", Format: "date-time"},
				"observedGeneration": {Type: "integer", Format: "int64", Minimum: ptr.To(0.0)},
			},
		}},
	}
}

// desired returns the CustomResourceDefinition of a definition: the one that kro builds, with the labels of kro and the schema of
// metav1.Condition.
func desired(rgd *v1alpha1.ResourceGraphDefinition, made *apiext.CustomResourceDefinition) (*apiext.CustomResourceDefinition, error) {
	crd := made.DeepCopy()
	crd.Labels = maps.Clone(crd.Labels)
	metadata.NewResourceGraphDefinitionLabeler(rgd).ApplyLabels(crd)
	metadata.NewKROMetaLabeler().ApplyLabels(crd)
	for i := range crd.Spec.Versions {
		setConditions(&crd.Spec.Versions[i], metaConditions())
	}
	data, err := json.Marshal(crd)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	crd.Annotations = maps.Clone(crd.Annotations)
	if crd.Annotations == nil {
		crd.Annotations = map[string]string{}
	}
	crd.Annotations[AnnotationHash] = hex.EncodeToString(sum[:16])
	return crd, nil
}

// CRDName is the name of the CustomResourceDefinition of definitions.
const CRDName = "resourcegraphdefinitions.kro.run"

// Own returns the CustomResourceDefinition of definitions that the operator needs: kro's, with the schema of metav1.Condition.
func Own(kros *apiext.CustomResourceDefinition) *apiext.CustomResourceDefinition {
	crd := kros.DeepCopy()
	for i := range crd.Spec.Versions {
		setConditions(&crd.Spec.Versions[i], metaConditions())
	}
	return crd
}

// setConditions replaces the schema of status.conditions.
func setConditions(v *apiext.CustomResourceDefinitionVersion, p apiext.JSONSchemaProps) {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return
	}
	status, ok := v.Schema.OpenAPIV3Schema.Properties["status"]
	if !ok || status.Properties == nil {
		return
	}
	status.Properties = maps.Clone(status.Properties)
	status.Properties["conditions"] = p
	v.Schema.OpenAPIV3Schema.Properties = maps.Clone(v.Schema.OpenAPIV3Schema.Properties)
	v.Schema.OpenAPIV3Schema.Properties["status"] = status
}

// step is the decision about a stored CustomResourceDefinition: apply it, report a problem, or neither.
type step struct {
	apply   bool
	trouble *Trouble
}

// compare decides whether to apply the CustomResourceDefinition over the stored one. makes reports whether a definition exists that makes
// the kind.
func compare(rgd *v1alpha1.ResourceGraphDefinition, want, have *apiext.CustomResourceDefinition, makes func(rgd string) bool) step {
	if have == nil {
		return step{apply: true}
	}
	owned, same, _ := metadata.CompareRGDOwnership(have.ObjectMeta, want.ObjectMeta)
	owner := have.Labels[metadata.ResourceGraphDefinitionNameLabel]
	switch {
	case !owned:
		return step{trouble: &Trouble{ReasonKindTaken, fmt.Sprintf("The CustomResourceDefinition %s exists and was not made by kro.", have.Name)}}
	case !same && makes(owner):
		return step{trouble: &Trouble{ReasonKindTaken, fmt.Sprintf("The kind is made by the definition %s.", owner)}}
	case have.DeletionTimestamp != nil:
		return step{}
	}
	// The schema of the conditions is replaced in both: a change of it does not break stored instances.
	old, fresh := have.DeepCopy(), want.DeepCopy()
	for i := range old.Spec.Versions {
		setConditions(&old.Spec.Versions[i], metaConditions())
	}
	report, err := compat.CompareVersions(old.Spec.Versions, fresh.Spec.Versions)
	if err != nil {
		return step{trouble: &Trouble{ReasonSyncFailed, err.Error()}}
	}
	if !report.IsCompatible() && rgd.Annotations[v1alpha1.AllowBreakingChangesAnnotation] != "true" {
		return step{trouble: &Trouble{ReasonBreakingChange, report.String()}}
	}
	return step{apply: report.HasChanges() || have.Annotations[AnnotationHash] != want.Annotations[AnnotationHash] || !same || !Strict(have)}
}

// Strict reports whether the conditions of every version are a map by type.
func Strict(crd *apiext.CustomResourceDefinition) bool {
	for _, v := range crd.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			return false
		}
		if c := v.Schema.OpenAPIV3Schema.Properties["status"].Properties["conditions"]; c.XListType == nil || *c.XListType != "map" {
			return false
		}
	}
	return true
}

// put applies the CustomResourceDefinition.
func put(ctx context.Context, c client.Client, crd *apiext.CustomResourceDefinition) (*apiext.CustomResourceDefinition, *Trouble) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
	if err != nil {
		return nil, &Trouble{ReasonSyncFailed, err.Error()}
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(apiext.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	unstructured.RemoveNestedField(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(Manager), client.ForceOwnership); err != nil {
		return nil, refused(err)
	}
	out := &apiext.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, out); err != nil {
		return nil, &Trouble{ReasonRetrying, err.Error()}
	}
	return out, nil
}

// refused classifies the error of an apply.
func refused(err error) *Trouble {
	if Final(err) {
		return &Trouble{ReasonSyncFailed, child.Reason(err)}
	}
	return &Trouble{ReasonRetrying, child.Reason(err)}
}

// Final reports whether sending the same request again would fail in the same way, so that a person has to act.
func Final(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) || apierrors.IsMethodNotSupported(err) ||
		apierrors.IsRequestEntityTooLargeError(err) || apierrors.IsUnsupportedMediaType(err) || apierrors.IsNotAcceptable(err)
}
