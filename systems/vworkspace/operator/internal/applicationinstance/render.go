// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Intervals of the Flux objects.
const (
	sourceInterval  = time.Minute
	releaseInterval = 5 * time.Minute
)

// chartLayer is the media type of a chart in an OCI registry.
const chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"

// SourceName returns the name of the Flux source of an instance.
func SourceName(o *api.ApplicationInstance) string { return o.Spec.Release.Name + "-source" }

// children returns the Flux objects of an instance: its source and its release.
func children(o *api.ApplicationInstance) (source, release *unstructured.Unstructured, err error) {
	meta := metav1.ObjectMeta{Namespace: o.Namespace, Labels: map[string]string{api.LabelInstance: o.Name},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(o, api.GroupVersion.WithKind("ApplicationInstance"))}}
	if source, err = render(sourceOf(o, meta)); err != nil {
		return nil, nil, err
	}
	values, err := valuesOf(o)
	if err != nil {
		return nil, nil, err
	}
	meta.Name = o.Spec.Release.Name
	meta.Annotations = map[string]string{kit.AnnotationVersion: o.Spec.Chart.Version}
	hr := &helmv2.HelmRelease{TypeMeta: metav1.TypeMeta{APIVersion: helmv2.GroupVersion.String(), Kind: helmv2.HelmReleaseKind},
		ObjectMeta: meta,
		Spec: helmv2.HelmReleaseSpec{Interval: metav1.Duration{Duration: releaseInterval}, ReleaseName: o.Spec.Release.Name, Values: values,
			DriftDetection: &helmv2.DriftDetection{Mode: helmv2.DriftDetectionWarn},
			CommonMetadata: &helmv2.CommonMetadata{Labels: map[string]string{api.LabelInstance: o.Name}}}}
	if v := o.Spec.Values; v != nil && v.SecretRef != nil {
		hr.Spec.ValuesFrom = []helmv2.ValuesReference{{Kind: "Secret", Name: v.SecretRef.Name, ValuesKey: v.SecretRef.Key}}
	} else if v != nil && v.ConfigMapRef != nil {
		hr.Spec.ValuesFrom = []helmv2.ValuesReference{{Kind: "ConfigMap", Name: v.ConfigMapRef.Name, ValuesKey: v.ConfigMapRef.Key}}
	}
	if o.Spec.Chart.SourceType == "oci" {
		hr.Spec.ChartRef = &helmv2.CrossNamespaceSourceReference{Kind: sourcev1.OCIRepositoryKind, Name: SourceName(o)}
	} else {
		hr.Spec.Chart = &helmv2.HelmChartTemplate{Spec: helmv2.HelmChartTemplateSpec{Chart: o.Spec.Chart.Name, Version: o.Spec.Chart.Version,
			SourceRef: helmv2.CrossNamespaceObjectReference{Kind: sourcev1.HelmRepositoryKind, Name: SourceName(o)}}}
	}
	release, err = render(hr)
	return source, release, err
}

func sourceOf(o *api.ApplicationInstance, meta metav1.ObjectMeta) runtime.Object {
	meta.Name = SourceName(o)
	c := o.Spec.Chart
	var secret *fluxmeta.LocalObjectReference
	if c.SecretRef != nil {
		secret = &fluxmeta.LocalObjectReference{Name: c.SecretRef.Name}
	}
	interval := metav1.Duration{Duration: sourceInterval}
	if c.SourceType == "oci" {
		return &sourcev1.OCIRepository{TypeMeta: metav1.TypeMeta{APIVersion: sourcev1.GroupVersion.String(), Kind: sourcev1.OCIRepositoryKind},
			ObjectMeta: meta,
			Spec: sourcev1.OCIRepositorySpec{URL: strings.TrimSuffix(c.URL, "/") + "/" + c.Name, Interval: interval, Insecure: c.Insecure,
				SecretRef:     secret,
				Reference:     &sourcev1.OCIRepositoryRef{Tag: strings.ReplaceAll(c.Version, "+", "_")},
				LayerSelector: &sourcev1.OCILayerSelector{MediaType: chartLayer, Operation: sourcev1.OCILayerCopy}}}
	}
	return &sourcev1.HelmRepository{TypeMeta: metav1.TypeMeta{APIVersion: sourcev1.GroupVersion.String(), Kind: sourcev1.HelmRepositoryKind},
		ObjectMeta: meta,
		Spec:       sourcev1.HelmRepositorySpec{URL: c.URL, Interval: interval, SecretRef: secret}}
}

// valuesOf returns the inline values over those of the integrations.
func valuesOf(o *api.ApplicationInstance) (*apiextensionsv1.JSON, error) {
	values := map[string]any{}
	if i := o.Spec.Integrations.Ingress; i.Enabled {
		values["ingress"] = map[string]any{"enabled": true, "host": i.Host}
	}
	if v := o.Spec.Values; v != nil && v.Inline != nil {
		var inline map[string]any
		if err := json.Unmarshal(v.Inline.Raw, &inline); err != nil {
			return nil, fmt.Errorf("spec.values.inline is not an object: %w", err)
		}
		if err := claim.Exact(v.Inline.Raw); err != nil {
			return nil, fmt.Errorf("spec.values.inline: %w", err)
		}
		merge(values, inline)
	}
	if len(values) == 0 {
		return nil, nil
	}
	data, err := json.Marshal(values)
	return &apiextensionsv1.JSON{Raw: data}, err
}

// merge puts values over others.
func merge(into, over map[string]any) {
	for key, value := range over {
		below, ok := value.(map[string]any)
		if was, both := into[key].(map[string]any); ok && both {
			merge(was, below)
			continue
		}
		into[key] = value
	}
}

// warnings returns the parts of a spec that are valid and should be changed.
func warnings(o *api.ApplicationInstance) (out []string) {
	if v := o.Spec.Values; o.Spec.Integrations.Ingress.Enabled && v != nil && v.Inline != nil {
		var inline struct {
			Ingress map[string]any `json:"ingress"`
		}
		if json.Unmarshal(v.Inline.Raw, &inline) == nil && inline.Ingress["host"] != nil {
			out = append(out, "spec.values.inline.ingress.host overrides spec.integrations.ingress.host")
		}
	}
	if c := o.Spec.Chart; c.Insecure || c.SourceType == "helm" && strings.HasPrefix(c.URL, "http://") {
		out = append(out, "the chart is fetched over plain HTTP")
	}
	return out
}

// deprecated returns a warning for each value of a spec that the catalog policy deprecates.
func deprecated(o *api.ApplicationInstance, list []kit.DeprecatedValue) (out []string) {
	var inline map[string]any
	if v := o.Spec.Values; len(list) == 0 || v == nil || v.Inline == nil || json.Unmarshal(v.Inline.Raw, &inline) != nil {
		return nil
	}
	for _, d := range list {
		if _, found, _ := unstructured.NestedFieldNoCopy(inline, strings.Split(d.Key, ".")...); !found {
			continue
		}
		warning := "values key " + d.Key + " is deprecated"
		if d.Use != "" {
			warning += ": use " + d.Use
		}
		out = append(out, warning)
	}
	return out
}

// render returns an object as it is applied: without status and empty fields.
func render(o runtime.Object) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, err
	}
	unstructured.RemoveNestedField(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	return &unstructured.Unstructured{Object: content}, nil
}
