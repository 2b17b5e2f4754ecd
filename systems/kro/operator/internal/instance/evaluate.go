// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kubernetes-sigs/kro/pkg/controller/instance/applyset"
	"github.com/kubernetes-sigs/kro/pkg/dynamiccontroller"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	kroruntime "github.com/kubernetes-sigs/kro/pkg/runtime"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/systems/kro/operator/internal/definition"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// node is a resource of the graph in one pass.
type node struct {
	*kroruntime.Node
	fact     Resource
	items    []applyset.Resource          // to be applied
	observed []*unstructured.Unstructured // as they are stored
	missing  []string                     // names of external objects that do not exist
	resolved bool
}

func (n *node) id() string { return n.Spec.Meta.ID }

// pass is one reconcile of one instance.
type pass struct {
	*Reconciler
	ctx      context.Context
	now      time.Time
	served   *definition.Served
	instance *unstructured.Unstructured
	stored   []conditions.Condition // of the instance, before the pass
	f        Facts
	next     time.Time         // when a verdict changes by time alone; zero: never
	kind     *conditions.Kind  // the conditions of the pass
	result   conditions.Result // of the judgement
	runtime  *kroruntime.Runtime
	watcher  dynamiccontroller.InstanceWatcher
	schemas  map[string]*spec.Schema // of the kinds of the resources, by resource ID
	nodes    []*node
	lenient  bool // an object whose controller says nothing is ready
	late     bool // resources have been waiting to be applied for longer than Patience
	budget   budget
}

// evaluate resolves the expressions of every resource in the order of the graph, as far as possible, and reads the stored objects.
func (p *pass) evaluate() {
	for _, kro := range p.runtime.Nodes() {
		n := &node{Node: kro, fact: Resource{ID: kro.Spec.Meta.ID, Asked: len(kro.Spec.ReadyWhen) > 0}}
		n.fact.External = kro.Spec.Meta.Type == graph.NodeTypeExternal || kro.Spec.Meta.Type == graph.NodeTypeExternalCollection
		n.fact.Many = kro.Spec.Meta.Type == graph.NodeTypeCollection || kro.Spec.Meta.Type == graph.NodeTypeExternalCollection
		p.nodes = append(p.nodes, n)
		p.resolve(n)
	}
}

// resolve evaluates one resource, and reads its stored objects.
func (p *pass) resolve(n *node) {
	ignored := false
	var desired []*unstructured.Unstructured
	err := p.budget.spend(func() (err error) {
		if ignored, err = n.IsIgnored(); err == nil && !ignored {
			desired, err = n.GetDesired()
		}
		return err
	})
	if err == nil && ignored {
		n.fact.Excluded, n.resolved = true, true
		return
	}
	if err == nil {
		n.resolved = true
		err = p.observe(n, desired)
	}
	n.record(err)
}

// further evaluates the resources again that waited for others, and reports whether one of them is resolved now.
func (p *pass) further() bool {
	progress := false
	for _, n := range p.nodes {
		if n.fact.Waiting == "" {
			continue
		}
		n.fact.Waiting = ""
		p.resolve(n)
		progress = progress || n.resolved
	}
	return progress
}

// record stores the error that keeps a resource from being resolved.
func (n *node) record(err error) {
	switch {
	case err == nil:
	case kroruntime.IsDataPending(err):
		n.fact.Waiting = strings.TrimPrefix(clean(err), fmt.Sprintf("node %q: ", n.id()))
	case errors.As(err, new(apierrors.APIStatus)):
		n.fact.Apply = &Trouble{definition.Final(err), child.Reason(err)}
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		n.fact.Apply = &Trouble{false, "the pass was cancelled"}
	case n.resolved:
		n.fact.Apply = &Trouble{false, err.Error()}
	default:
		n.fact.Broken = clean(err)
	}
}

// clean returns the text of an error of kro's runtime without its suffixes.
func clean(err error) string {
	text := err.Error()
	for _, mark := range []string{" (data pending)", " (waiting for readiness)", ": waiting for readiness"} {
		text = strings.ReplaceAll(text, mark, "")
	}
	return text
}

// client returns the client for the objects of a resource.
func (p *pass) client(n *node, namespace string) dynamic.ResourceInterface {
	if n.Spec.Meta.Namespaced {
		return p.Client.Resource(n.Spec.Meta.GVR).Namespace(namespace)
	}
	return p.Client.Resource(n.Spec.Meta.GVR)
}

// observe starts to watch the objects of a resource, and reads them.
func (p *pass) observe(n *node, desired []*unstructured.Unstructured) error {
	switch n.Spec.Meta.Type {
	case graph.NodeTypeExternal:
		return p.external(n, desired)
	case graph.NodeTypeExternalCollection:
		return p.externals(n, desired)
	case graph.NodeTypeCollection:
		return p.collection(n, desired)
	}
	if len(desired) == 0 {
		return nil
	}
	current, err := p.read(n, desired[0])
	if err != nil {
		return err
	}
	if current != nil && current.GetDeletionTimestamp() == nil {
		n.SetObserved([]*unstructured.Unstructured{current})
	}
	p.want(n, desired[0], current, "", 0, 0)
	return nil
}

// read starts to watch one object, and reads it; nil if it does not exist.
func (p *pass) read(n *node, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	err := p.watch(dynamiccontroller.WatchRequest{NodeID: n.id(), GVR: n.Spec.Meta.GVR, Name: o.GetName(), Namespace: o.GetNamespace()})
	if err != nil {
		return nil, err
	}
	current, err := p.client(n, o.GetNamespace()).Get(p.ctx, o.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return current, err
}

// watch starts to watch objects. kro's informers block for half a minute if they may not list a kind, so the first list of a kind is tried
// before, and its error is returned at once.
func (p *pass) watch(r dynamiccontroller.WatchRequest) error {
	if _, listed := p.listable.Load(r.GVR); !listed {
		if _, err := p.Client.Resource(r.GVR).List(p.ctx, metav1.ListOptions{Limit: 1}); err != nil {
			return err
		}
		p.listable.Store(r.GVR, true)
	}
	return p.watcher.Watch(r)
}

// want adds an object to those to be applied, with the labels and annotations by which kro finds it again.
func (p *pass) want(n *node, o, current *unstructured.Unstructured, id string, index, size int) {
	if current != nil {
		n.observed = append(n.observed, current)
	}
	if current != nil && current.GetDeletionTimestamp() != nil {
		return
	}
	marks := metadata.NewInstanceLabeler(p.instance, p.instance.GetNamespace() != "")
	metadata.NewNodeLabeler().ApplyLabels(o)
	metadata.NewKROMetaLabeler().ApplyLabels(o)
	marks.ApplyLabels(o)
	metadata.GenericLabeler{metadata.NodeIDLabel: n.id()}.ApplyLabels(o)
	if size > 0 {
		metadata.NewCollectionItemLabeler(n.id(), index, size).ApplyLabels(o)
	}
	order, _ := p.runtime.ApplyOrder(n.id())
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[metadata.ApplyOrderAnnotation] = strconv.Itoa(order)
	o.SetAnnotations(annotations)
	if id == "" {
		id = n.id()
	}
	n.items = append(n.items, applyset.Resource{ID: id, Object: o, Current: current})
}

// external reads the object of an externalRef.
func (p *pass) external(n *node, desired []*unstructured.Unstructured) error {
	for _, o := range desired {
		current, err := p.read(n, o)
		if err != nil {
			return err
		}
		if current == nil {
			n.missing = append(n.missing, name(o))
			continue
		}
		n.observed = []*unstructured.Unstructured{current}
		n.SetObserved(n.observed)
	}
	return nil
}

// externals lists the objects of an externalRef with a selector.
func (p *pass) externals(n *node, desired []*unstructured.Unstructured) error {
	if len(desired) == 0 {
		return nil
	}
	selector, err := selector(desired[0])
	if err != nil {
		n.fact.Broken = err.Error()
		return nil
	}
	namespace := desired[0].GetNamespace()
	if !n.Spec.Meta.Namespaced {
		namespace = ""
	}
	n.observed, err = p.list(n, namespace, selector)
	if err == nil {
		n.SetObserved(n.observed)
	}
	return err
}

// collection lists the stored objects of a resource with forEach, and adds the desired ones to those to be applied.
func (p *pass) collection(n *node, desired []*unstructured.Unstructured) error {
	mine := labels.SelectorFromSet(labels.Set{metadata.InstanceIDLabel: string(p.instance.GetUID()), metadata.NodeIDLabel: n.id()})
	stored, err := p.list(n, "", mine)
	if err != nil {
		return err
	}
	byName := make(map[string]*unstructured.Unstructured, len(stored))
	for _, o := range stored {
		byName[o.GetNamespace()+"/"+o.GetName()] = o
	}
	n.SetObserved(stored)
	for i, o := range desired {
		current := byName[o.GetNamespace()+"/"+o.GetName()]
		if current == nil { // one without the labels may exist
			current, err = p.client(n, o.GetNamespace()).Get(p.ctx, o.GetName(), metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				current, err = nil, nil
			}
			if err != nil {
				return err
			}
		}
		p.want(n, o, current, fmt.Sprintf("%s-%d", n.id(), i), i, len(desired))
	}
	return nil
}

// list starts to watch objects by labels, and reads them; in all namespaces if namespace is empty.
func (p *pass) list(n *node, namespace string, s labels.Selector) ([]*unstructured.Unstructured, error) {
	err := p.watch(dynamiccontroller.WatchRequest{NodeID: n.id(), GVR: n.Spec.Meta.GVR, Namespace: namespace, Selector: s})
	if err != nil {
		return nil, err
	}
	var client dynamic.ResourceInterface = p.Client.Resource(n.Spec.Meta.GVR)
	if namespace != "" {
		client = p.Client.Resource(n.Spec.Meta.GVR).Namespace(namespace)
	}
	list, err := client.List(p.ctx, metav1.ListOptions{LabelSelector: s.String()})
	if err != nil {
		return nil, err
	}
	out := make([]*unstructured.Unstructured, 0, len(list.Items))
	for i := range list.Items {
		out = append(out, &list.Items[i])
	}
	return out, nil
}

// selector returns the label selector of an externalRef; without one it selects everything.
func selector(o *unstructured.Unstructured) (labels.Selector, error) {
	raw, found, err := unstructured.NestedMap(o.Object, "metadata", "selector")
	if err != nil || !found {
		return labels.Everything(), nil
	}
	data, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields() // a misspelt field would select everything
	var s metav1.LabelSelector
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("selector: %w", err)
	}
	return metav1.LabelSelectorAsSelector(&s)
}

// name returns Kind/name of an object.
func name(o *unstructured.Unstructured) string { return o.GetKind() + "/" + o.GetName() }
