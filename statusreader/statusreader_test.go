// SPDX-License-Identifier: Apache-2.0

package statusreader_test

import (
	"context"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/engine"
	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/event"
	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/statusreaders"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/cli-utils/pkg/object"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/statusreader"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// scenes are objects that plain kstatus waits for in vain, or calls Current too early.
var scenes = map[string]struct {
	object, plain, ours string
}{
	"a failure that is not retried: kstatus waits until its timeout": {
		`{apiVersion: kars.azure.com/v1alpha1, kind: ToolPolicy, metadata: {name: x, namespace: d, generation: 1}, status: {conditions: [
		{type: Ready, status: "False", reason: SpecInvalid, message: "spec: no", lastTransitionTime: "2025-12-31T12:00:00Z"}]}}`, "InProgress",
		"Failed"},
	"an end without Ready: kstatus is green": {
		`{apiVersion: argoproj.io/v1alpha1, kind: AnalysisRun, metadata: {name: x, namespace: d, generation: 1}, status: {phase: Failed, message: no}}`, "Current", "Failed"},
	"work under way without Ready: kstatus is green too early": {
		`{apiVersion: argoproj.io/v1alpha1, kind: AnalysisRun, metadata: {name: x, namespace: d, generation: 1}, status: {phase: Running}}`,
		"Current", "InProgress"},
	"a condition of an older generation: kstatus is green too early": {
		`{apiVersion: kars.azure.com/v1alpha1, kind: ToolPolicy, metadata: {name: x, namespace: d, generation: 2}, status: {conditions: [
		{type: Ready, status: "True", reason: RouterEnforcing, observedGeneration: 1, lastTransitionTime: "2025-12-31T12:00:00Z"}]}}`, "Current",
		"InProgress"},
	"an object that no controller has looked at: kstatus is green too early": {
		`{apiVersion: kars.azure.com/v1alpha1, kind: ToolPolicy, metadata: {name: x, namespace: d, generation: 1}}`, "Current", "InProgress"},
	"a pause on purpose: kstatus waits until its timeout": {
		`{apiVersion: kueue.x-k8s.io/v1beta1, kind: ClusterQueue, metadata: {name: x, namespace: d, generation: 1}, status: {conditions: [
		{type: Ready, status: "False", reason: Stopped}, {type: Active, status: "False", reason: Stopped, message: stopped}]}}`, "InProgress",
		"Current"},
	"a failure that only words report has its grace": {
		`{apiVersion: example.org/v1, kind: Lamp, metadata: {name: x, namespace: d, generation: 1}, status: {conditions: [
		{type: Ready, status: "False", reason: UploadFailed, lastTransitionTime: "2025-12-31T23:59:50Z"}]}}`, "InProgress", "InProgress"},
	"and counts after it": {
		`{apiVersion: example.org/v1, kind: Lamp, metadata: {name: x, namespace: d, generation: 1}, status: {conditions: [
		{type: Ready, status: "False", reason: UploadFailed, lastTransitionTime: "2025-12-31T23:00:00Z"}]}}`, "InProgress", "Failed"},
	"both agree on an object that is healthy": {
		`{apiVersion: kars.azure.com/v1alpha1, kind: ToolPolicy, metadata: {name: x, namespace: d, generation: 1}, status: {conditions: [
		{type: Ready, status: "True", reason: RouterEnforcing, observedGeneration: 1, lastTransitionTime: "2025-12-31T12:00:00Z"}]}}`, "Current",
		"Current"},
}

// TestPoller has the poller of cli-utils read the scenes, which is that of Flux: without the reader, and with it.
func TestPoller(t *testing.T) {
	shipped, err := catalog.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	e := catalog.Engine(shipped)
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(scene.object), &o.Object); err != nil {
				t.Fatal(err)
			}
			whole(o.Object)
			mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{o.GroupVersionKind().GroupVersion()})
			mapper.Add(o.GroupVersionKind(), meta.RESTScopeNamespace)
			ours := statusreader.NewWithOptions(e, mapper, statusreader.Options{Now: func() time.Time { return now }})
			if got := poll(t, o, mapper); got != scene.plain {
				t.Errorf("plain kstatus: want %s, got %s", scene.plain, got)
			}
			if got := poll(t, o, mapper, ours); got != scene.ours {
				t.Errorf("with the reader: want %s, got %s", scene.ours, got)
			}
		})
	}
}

// poll returns the first status that the poller of cli-utils reports.
func poll(t *testing.T, o *unstructured.Unstructured, mapper meta.RESTMapper, readers ...engine.StatusReader) string {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	poller := engine.PollerEngine{Mapper: mapper, StatusReaders: readers, DefaultStatusReader: statusreaders.NewGenericStatusReader(mapper,
		status.Compute),
		ClusterReaderFactory: engine.ClusterReaderFactoryFunc(func(client.Reader, meta.RESTMapper, object.ObjMetadataSet) (engine.ClusterReader,
			error) {
			return one{o}, nil
		})}
	for e := range poller.Poll(ctx, object.ObjMetadataSet{object.UnstructuredToObjMetadata(o)}, engine.Options{PollInterval: time.Hour}) {
		switch e.Type {
		case event.ErrorEvent:
			t.Fatal(e.Error)
		case event.ResourceUpdateEvent:
			if e.Resource.Error != nil {
				t.Fatal(e.Resource.Error)
			}
			return e.Resource.Status.String()
		}
	}
	t.Fatal("no event")
	return ""
}

// one is a cluster with one object.
type one struct{ o *unstructured.Unstructured }

func (c one) Get(_ context.Context, key client.ObjectKey, into *unstructured.Unstructured) error {
	if key.Name != c.o.GetName() {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	c.o.DeepCopyInto(into)
	return nil
}
func (one) ListNamespaceScoped(context.Context, *unstructured.UnstructuredList, string, labels.Selector) error {
	return nil
}
func (one) ListClusterScoped(context.Context, *unstructured.UnstructuredList, labels.Selector) error {
	return nil
}
func (one) Sync(context.Context) error { return nil }

// whole makes numbers whole ones, as those of an API server are.
func whole(v any) {
	if m, ok := v.(map[string]any); ok {
		for key, one := range m {
			if f, ok := one.(float64); ok {
				m[key] = int64(f)
			}
			whole(one)
		}
	}
	if l, ok := v.([]any); ok {
		for _, one := range l {
			whole(one)
		}
	}
}

// The line with which a program that polls has the verdicts.
var _ = polling.Options{CustomStatusReaders: []engine.StatusReader{}}

// TestNotFound: an object that does not exist is not found, and not an error.
func TestNotFound(t *testing.T) {
	gvk := schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Lamp"}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{gvk.GroupVersion()})
	mapper.Add(gvk, meta.RESTScopeNamespace)
	r := statusreader.New(catalog.Engine(), mapper)
	got, err := r.ReadStatus(t.Context(), one{&unstructured.Unstructured{}}, object.ObjMetadata{GroupKind: gvk.GroupKind(), Name: "x",
		Namespace: "d"})
	if err != nil || got.Status != status.NotFoundStatus {
		t.Errorf("want NotFound, got %v, %v", got, err)
	}
	got, err = r.ReadStatus(t.Context(), one{&unstructured.Unstructured{}}, object.ObjMetadata{GroupKind: schema.GroupKind{Kind: "Other"},
		Name: "x"})
	if err != nil || got.Status != status.UnknownStatus || got.Error == nil {
		t.Errorf("want Unknown with an error for a kind that is not mapped, got %v, %v", got, err)
	}
}
