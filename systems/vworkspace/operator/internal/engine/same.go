// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"reflect"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ofServer are the fields of the metadata that the API server writes, or that two objects of one content do not share.
var ofServer = []string{"name", "generateName", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"}

// ofJob are the labels of the pods of a Job that the API server makes of its name and uid.
var ofJob = []string{batchv1.ControllerUidLabel, batchv1.JobNameLabel, "controller-uid", "job-name"}

// Same reports whether two objects of an engine have the same content: everything but the status, the name, and what the API server makes
// of the name and the uid. A value that one has and the other has not is a difference, wherever it is.
func Same(a, b *unstructured.Unstructured) bool { return reflect.DeepEqual(content(a), content(b)) }

func content(u *unstructured.Unstructured) map[string]any {
	out := u.DeepCopy().Object
	delete(out, "status")
	for _, field := range ofServer {
		unstructured.RemoveNestedField(out, "metadata", field)
	}
	if manual, _, _ := unstructured.NestedBool(out, "spec", "manualSelector"); u.GetKind() != "Job" || manual {
		return out
	}
	unstructured.RemoveNestedField(out, "spec", "selector")
	labels, found, _ := unstructured.NestedMap(out, "spec", "template", "metadata", "labels")
	maps.DeleteFunc(labels, func(key string, _ any) bool { return slices.Contains(ofJob, key) })
	if unstructured.RemoveNestedField(out, "spec", "template", "metadata", "labels"); found && len(labels) > 0 {
		_ = unstructured.SetNestedMap(out, labels, "spec", "template", "metadata", "labels") // where it was before
	}
	return out
}
