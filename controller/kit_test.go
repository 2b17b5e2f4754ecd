// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	public "github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/write/probe"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// TestMain lets more tests run at a time than there are processors: nearly all of their time they wait, each for two seconds before it may
// create the first object of a kind that it has defined. A test runs alone if it puts catalogs into the cluster, which every controller
// reads, if it measures, or if a replica has to keep a lease.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	controller.ProbeConnections() // as the command does
	plane.Main(m, func() { _ = os.RemoveAll(commandFolder) })
}

// patience guards waiting for what must come; nothing depends on how long it takes.
const patience = 5 * time.Minute

// catalogText declares widgets with a leaf and a summary, and racks that aggregate the widgets which name them. GROUP is the
// group of the test.
const catalogText = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: widgets.GROUP}
spec:
  for: {group: GROUP, kind: Widget, versions: [v1]}
  manage: {manager: tristate}
  conditions:
  - type: Ready
    meaning: It works.
    derive: {summary: {of: [Powered, Cooled]}}
  - {type: Powered, meaning: It has power., reasons: [{reason: PowerOn, status: "True", meaning: Yes.}, {reason: Cut, status: "False", meaning: No.}]}
  - {type: Cooled, meaning: It is cool., optional: true, reasons: [{reason: Cool, status: "True", meaning: Yes.}, {reason: Hot, status: "False", meaning: No.}]}
---
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: racks.GROUP}
spec:
  for: {group: GROUP, kind: Rack, versions: [v1]}
  manage: {manager: tristate}
  relations:
    widgets: {kind: Widget.GROUP, where: item.spec.rack == self.metadata.name}
  conditions:
  - type: Ready
    meaning: All widgets work.
    derive: {summary: {of: [WidgetsReady]}}
  - type: WidgetsReady
    meaning: All widgets work.
    derive:
      aggregate: {of: widgets, counter: true}
      rules: [{reason: Empty}]
    reasons: [{reason: Empty, status: "False", meaning: There is none.}]
`

// definition of a kind; LIST describes its conditions list.
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: PLURAL.GROUP}
spec:
  group: GROUP
  scope: Namespaced
  names: {kind: KIND, plural: PLURAL, singular: SINGULAR, listKind: KINDList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status: {STATUS}
`

// What a status of a definition may be.
const (
	listMap = `type: object, properties: {conditions: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type],
            items: {type: object, required: [type, status], properties: {type: {type: string}, status: {type: string}, reason: {type: string},
            message: {type: string}, lastTransitionTime: {type: string}, observedGeneration: {type: integer, format: int64}}}}}`
	anything = `x-kubernetes-preserve-unknown-fields: true`
)

// bench is an API group and a namespace of a test's own.
type bench struct {
	*testing.T
	config           *rest.Config
	client           dynamic.Interface
	namespace, group string
	set              *catalog.Set
	manage           []schema.GroupKind // besides what the catalogs say
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, config: plane.ForTest(t)}
	b.namespace = plane.Namespace(t, b.config)
	b.group = b.namespace + ".example.dev"
	b.set = b.load(catalogText)
	var err error
	b.client, err = dynamic.NewForConfig(plane.OfTest(b.config))
	b.must(err)
	return b
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) patient() context.Context {
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	b.Cleanup(cancel)
	return ctx
}

func (b *bench) text(s string) []byte { return []byte(strings.ReplaceAll(s, "GROUP", b.group)) }

func (b *bench) load(text string) *catalog.Set {
	b.Helper()
	set, err := catalog.Load(map[string][]byte{"test.yaml": b.text(text)})
	b.must(err)
	return set
}

// define makes kinds served, all with the same status.
func (b *bench) define(status string, kinds ...string) {
	b.Helper()
	var manifests [][]byte
	for _, kind := range kinds {
		lower := strings.ToLower(kind)
		r := strings.NewReplacer("GROUP", b.group, "PLURAL", lower+"s", "SINGULAR", lower, "KIND", kind, "STATUS", status)
		manifests = append(manifests, []byte(r.Replace(definition)))
		b.Cleanup(func() { _ = b.undefine(context.Background(), kind) })
	}
	b.must(live.Install(b.patient(), b.config, manifests...))
}

func (b *bench) undefine(ctx context.Context, kind string) error {
	crds := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	return b.client.Resource(crds).Delete(ctx, strings.ToLower(kind)+"s."+b.group, metav1.DeleteOptions{})
}

func (b *bench) objects(kind string) dynamic.ResourceInterface {
	return b.client.Resource(schema.GroupVersionResource{Group: b.group, Version: "v1", Resource: strings.ToLower(kind) +
		"s"}).Namespace(b.namespace)
}

// create makes an object; spec is YAML.
func (b *bench) create(kind, name, spec string) *unstructured.Unstructured {
	b.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": b.group + "/v1", "kind": kind,
		"metadata": map[string]any{"name": name}}}
	content := map[string]any{}
	b.must(yaml.Unmarshal([]byte(spec), &content))
	o.Object["spec"] = content
	made, err := b.objects(kind).Create(b.patient(), o, metav1.CreateOptions{})
	b.must(err)
	return made
}

func (b *bench) delete(kind, name string) {
	b.Helper()
	b.must(b.objects(kind).Delete(b.patient(), name, metav1.DeleteOptions{}))
}

// report writes one leaf condition as somebody else, by server-side apply.
func (b *bench) report(kind, name, conditionType, status, reason string) {
	b.Helper()
	b.must(b.apply(b.patient(), kind, name, conditionType, status, reason, ""))
}

func (b *bench) apply(ctx context.Context, kind, name, conditionType, status, reason, message string) error {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": b.group + "/v1", "kind": kind,
		"metadata": map[string]any{"name": name},
		"status": map[string]any{"conditions": []any{map[string]any{"type": conditionType, "status": status, "reason": reason, "message": message,
			"lastTransitionTime": "2026-01-02T03:04:05Z"}}}}}
	_, err := b.objects(kind).Apply(ctx, name, o, metav1.ApplyOptions{FieldManager: "leaf-" + conditionType, Force: true}, "status")
	return err
}

// patchStatus merges YAML into a status.
func (b *bench) patchStatus(kind, name, status string) {
	b.Helper()
	_, err := b.objects(kind).Patch(b.patient(), name, types.MergePatchType, b.json("status: "+status), metav1.PatchOptions{}, "status")
	b.must(err)
}

// json is YAML as JSON.
func (b *bench) json(text string) []byte {
	b.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	b.must(err)
	return data
}

// says returns the conditions of an object: "Type=Status Reason" by type; "gone" without an object.
func (b *bench) says(kind, name string) string {
	b.Helper()
	o, err := b.objects(kind).Get(b.patient(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "gone"
	}
	b.must(err)
	return brief(o.Object)
}

func brief(object map[string]any) string {
	status, _ := object["status"].(map[string]any)
	list, _ := status["conditions"].([]any)
	var out []string
	for _, entry := range list {
		if c, ok := entry.(map[string]any); ok {
			out = append(out, fmt.Sprintf("%v=%v %v", c["type"], c["status"], c["reason"]))
		}
	}
	slices.Sort(out) // server-side apply has the order of arrival
	return strings.Join(out, ", ")
}

// eventually waits until an object says something.
func (b *bench) eventually(kind, name, want string) {
	b.Helper()
	got := ""
	b.wait(func() error {
		if got = b.says(kind, name); got == want {
			return nil
		}
		return fmt.Errorf("%s/%s (-want +got):\n%s", kind, name, cmp.Diff(want, got))
	})
}

// wait polls until there is no error.
func (b *bench) wait(done func() error) {
	b.Helper()
	ctx := b.patient()
	for {
		err := done()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			b.Fatalf("waited in vain: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// running is a controller at work.
type running struct {
	*controller.Controller
	*probe.Probe
	b     *bench
	stop  context.CancelFunc
	ended chan error
}

// given is a set as the options of a controller take it.
func given(set *catalog.Set) *public.Set { return &public.Set{Compiled: set} }

// run starts a controller, with what a test wants otherwise; it is stopped at the end of the test.
func (b *bench) run(options ...func(*controller.Options)) *running {
	b.Helper()
	log := &tail{}
	o := controller.Options{Config: rest.CopyConfig(b.config), Catalogs: given(b.set), Manage: b.manage,
		Log: slog.New(slog.NewTextHandler(log, nil))}
	plane.Slow(o.Config)
	for _, set := range options {
		set(&o)
	}
	c, err := controller.New(o)
	b.must(err)
	ctx, stop := context.WithCancel(context.Background())
	r := &running{c, probe.New(), b, stop, make(chan error, 1)}
	go func() { r.ended <- c.Run(r.With(ctx)) }()
	b.Cleanup(func() {
		r.end()
		if b.Failed() {
			b.Logf("log of the controller:\n%s", log)
		}
	})
	return r
}

// end stops the controller and waits until it has ended.
func (r *running) end() {
	r.b.Helper()
	r.stop()
	select {
	case err, open := <-r.ended:
		if open && err != nil {
			r.b.Errorf("the controller ended: %v", err)
		}
		if open {
			close(r.ended)
		}
	case <-time.After(patience):
		r.b.Error("the controller does not end")
	}
}

func (r *running) idle() {
	r.b.Helper()
	r.b.must(r.Idle(r.b.patient()))
}

// quiet judges everything once more and expects no write. One that comes of something that the controller had not seen yet is no second
// one: then it looks again.
func (r *running) quiet() {
	r.b.Helper()
	r.idle()
	n := 0
	for range 3 {
		before := r.Stats().Writes
		r.Recheck()
		r.idle()
		if n = r.Stats().Writes - before; n == 0 {
			return
		}
	}
	r.b.Errorf("a second pass over everything wrote %d times", n)
}

// tail keeps the end of a log.
type tail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *tail) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.b.Len() > 1<<13 {
		s.b.Next(s.b.Len() / 2)
	}
	return s.b.Write(p)
}

func (s *tail) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
