// SPDX-License-Identifier: Apache-2.0

package campaign_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/plane/process"
	"github.com/tristate/tristate/proof/world/clitest"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/retry"
)

// kinds are those of the shop and of a dump, with the group and version.
var kinds = map[string]schema.GroupVersion{"Pod": {Version: "v1"}, "Endpoints": {Version: "v1"}, "Event": {Version: "v1"},
	"ReplicaSet": {Group: "apps", Version: "v1"}, "Lease": {Group: "coordination.k8s.io", Version: "v1"},
	"APIService": {Group: "apiregistration.k8s.io", Version: "v1"}, "CSINode": {Group: "storage.k8s.io", Version: "v1"},
	"Namespace": {Version: "v1"}, "Node": {Version: "v1"}, "ConfigMap": {Version: "v1"}, "Secret": {Version: "v1"},
	"ServiceAccount": {Version: "v1"},
	"Service":        {Version: "v1"}, "ResourceQuota": {Version: "v1"}, "LimitRange": {Version: "v1"},
	"PersistentVolumeClaim": {Version: "v1"},
	"PersistentVolume":      {Version: "v1"},
	"Deployment":            {Group: "apps", Version: "v1"}, "StatefulSet": {Group: "apps", Version: "v1"},
	"Job":     {Group: "batch", Version: "v1"},
	"CronJob": {Group: "batch", Version: "v1"},
	"Ingress": {Group: "networking.k8s.io", Version: "v1"}, "IngressClass": {Group: "networking.k8s.io", Version: "v1"},
	"NetworkPolicy":       {Group: "networking.k8s.io", Version: "v1"},
	"PodDisruptionBudget": {Group: "policy", Version: "v1"}, "HorizontalPodAutoscaler": {Group: "autoscaling", Version: "v2"},
	"StorageClass":  {Group: "storage.k8s.io", Version: "v1"},
	"PriorityClass": {Group: "scheduling.k8s.io", Version: "v1"}, "RuntimeClass": {Group: "node.k8s.io", Version: "v1"},
	"EndpointSlice":                    {Group: "discovery.k8s.io", Version: "v1"},
	"ValidatingWebhookConfiguration":   {Group: "admissionregistration.k8s.io", Version: "v1"},
	"ValidatingAdmissionPolicy":        {Group: "admissionregistration.k8s.io", Version: "v1"},
	"ValidatingAdmissionPolicyBinding": {Group: "admissionregistration.k8s.io", Version: "v1"},
	"MutatingWebhookConfiguration":     {Group: "admissionregistration.k8s.io", Version: "v1"}}

// restored are the kinds that are made as they were after a round, in this order: what lets pods be made first, as they are made again at
// once.
var restored = []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "ValidatingAdmissionPolicy",
	"ValidatingAdmissionPolicyBinding", "Namespace", "Node", "LimitRange", "ConfigMap", "Secret",
	"ServiceAccount", "PriorityClass", "RuntimeClass",
	"StatefulSet", "Deployment", "Job", "HorizontalPodAutoscaler", "PodDisruptionBudget", "PersistentVolumeClaim", "PersistentVolume",
	"StorageClass", "Service", "EndpointSlice", "Ingress", "IngressClass", "NetworkPolicy", "ResourceQuota"}

const namespace = "shop"

// asCommand is the variable by which the test program is the command, so that each answer is that of a process of its own.
const asCommand = "CAMPAIGN_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(cli.New().Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// shop is the shop on a control plane of its own.
type shop struct {
	testing.TB
	client     dynamic.Interface
	metadata   metadata.Interface
	mapper     meta.ResettableRESTMapper
	kubeconfig string
	saved      map[string]*unstructured.Unstructured // the healthy objects, by KIND/NAME
	played     map[string]words                      // of the pods of a service that do not become ready
	events     map[string]words                      // what is reported of such pods
	stopped    []string                              // processes
	leases     []string                              // that were written in their place
	process    int                                   // of the control plane
	rounds     int
}

// start starts a control plane with three nodes.
func start(t *testing.T) *shop {
	t.Helper()
	var s *shop
	if _, err := process.Find(); errors.Is(err, plane.ErrNotBuilt) {
		plane.ForTest(t) // skips or fails
	}
	p, err := plane.Start(t.Context(), plane.Options{Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s != nil {
			s.proceed()
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	config := p.Config()
	config.QPS = -1
	s = &shop{TB: t, kubeconfig: clitest.Kubeconfig(t, config, namespace, ""), saved: map[string]*unstructured.Unstructured{},
		played: map[string]words{}, events: map[string]words{}, process: p.PID()}
	if s.client, err = dynamic.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	if s.metadata, err = metadata.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	s.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d))
	return s
}

// open starts a control plane with the shop on it, and waits until it is healthy.
func open(t *testing.T) *shop {
	t.Helper()
	s := start(t)
	s.create(clitest.Object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"))
	for _, u := range manifests(t) {
		s.create(u)
	}
	// its controller is played
	s.patch("Ingress/shop", map[string]any{
		"status": map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": "192.0.2.1"}}}}}, "status")
	s.healthy()
	for _, kind := range restored {
		for _, u := range s.list(kind) {
			s.saved[kind+"/"+u.GetName()] = &u
		}
	}
	return s
}

func (s *shop) resource(kind string) dynamic.ResourceInterface { return s.resourceIn(kind, namespace) }

func (s *shop) resourceIn(kind, namespace string) dynamic.ResourceInterface {
	s.Helper()
	m := s.mapping(kind)
	if m.Scope.Name() == meta.RESTScopeNameRoot {
		return s.client.Resource(m.Resource)
	}
	return s.client.Resource(m.Resource).Namespace(namespace)
}

func (s *shop) mapping(kind string) *meta.RESTMapping {
	s.Helper()
	m, err := s.mapper.RESTMapping(schema.GroupKind{Group: kinds[kind].Group, Kind: kind}, kinds[kind].Version)
	if err != nil {
		s.Fatal(err)
	}
	return m
}

// list returns the objects of a kind. Endpoint slices of the controller are left to it.
func (s *shop) list(kind string) []unstructured.Unstructured {
	s.Helper()
	options := metav1.ListOptions{}
	if kind == "EndpointSlice" {
		options.LabelSelector = "endpointslice.kubernetes.io/managed-by!=endpointslice-controller.k8s.io"
	}
	return s.items(kind, namespace, options)
}

// items returns the objects of a kind in a namespace; in all of them if it is empty.
func (s *shop) items(kind, namespace string, options metav1.ListOptions) []unstructured.Unstructured {
	s.Helper()
	list, err := s.resourceIn(kind, namespace).List(s.Context(), options)
	if err != nil {
		s.Fatal(err)
	}
	return list.Items
}

func (s *shop) create(u *unstructured.Unstructured) {
	s.Helper()
	if _, err := s.resource(u.GetKind()).Create(s.Context(), u, metav1.CreateOptions{}); err != nil {
		s.Fatal(err)
	}
}

func (s *shop) patch(key string, patch map[string]any, subresource string) {
	s.Helper()
	kind, name, _ := strings.Cut(key, "/")
	data, err := json.Marshal(patch)
	if err != nil {
		s.Fatal(err)
	}
	var sub []string
	if subresource != "" {
		sub = []string{subresource}
	}
	if _, err := s.resource(kind).Patch(s.Context(), name, strategic, data, metav1.PatchOptions{FieldManager: "kubectl-edit"},
		sub...); err != nil && !(subresource != "" && apierrors.IsNotFound(err)) {
		s.Fatalf("%s: %v\n%s", key, err, data)
	}
}

// delete deletes an object, or the endpoint slices of a Service.
func (s *shop) delete(key string) {
	s.Helper()
	kind, name, _ := strings.Cut(key, "/")
	now := int64(0)
	options := metav1.DeleteOptions{GracePeriodSeconds: &now}
	if policy := metav1.DeletePropagationBackground; kind == "Job" {
		options.PropagationPolicy = &policy
	}
	var err error
	if kind == "EndpointSlice" && s.saved[key] == nil {
		err = s.resource(kind).DeleteCollection(s.Context(), options, metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=" + name})
	} else {
		err = s.resource(kind).Delete(s.Context(), name, options)
	}
	if err != nil && !apierrors.IsNotFound(err) {
		s.Fatal(err)
	}
}

// play writes the words of the kubelet into the status of the pods that run and are not ready.
func (s *shop) play() {
	s.Helper()
	for _, pod := range s.list("Pod") {
		if w, is := s.events[pod.GetLabels()["app"]]; is && pod.GetAnnotations()["localplane.tristate.dev/outcome"] == "hang" {
			s.report(pod, w)
		}
		w, hangs := s.played[pod.GetLabels()["app"]]
		if !hangs || pod.GetAnnotations()["localplane.tristate.dev/outcome"] != "unready" || pod.GetDeletionTimestamp() != nil {
			continue
		}
		list, _, _ := unstructured.NestedSlice(pod.Object, "status", "containerStatuses")
		if len(list) > 0 && !strings.Contains(fmt.Sprint(list), "waiting") {
			s.patch("Pod/"+pod.GetName(), w.status(&pod), "status")
		}
	}
}

// report writes an event about a pod, once.
func (s *shop) report(pod unstructured.Unstructured, w words) {
	s.Helper()
	now := time.Now().UTC().Format(time.RFC3339)
	_, err := s.resource("Event").Create(s.Context(), &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Event",
		"metadata": map[string]any{"name": pod.GetName() + ".1"}, "type": "Warning", "reason": w.Reason, "message": w.Message, "count": int64(3),
		"firstTimestamp": now, "lastTimestamp": now, "source": map[string]any{"component": "kubelet"},
		"involvedObject": map[string]any{"apiVersion": "v1", "kind": "Pod", "namespace": namespace, "name": pod.GetName(),
			"uid": string(pod.GetUID())}}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		s.Fatal(err)
	}
}

// reported waits until an object has conditions.
func (s *shop) reported(key string) {
	s.Helper()
	kind, name, there := strings.Cut(key, "/")
	for deadline := time.Now().Add(5 * time.Minute); there && time.Now().Before(deadline); time.Sleep(time.Second) {
		u, err := s.resource(kind).Get(s.Context(), name, metav1.GetOptions{})
		if err != nil {
			s.Fatal(err)
		}
		if list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions"); len(list) > 0 {
			return
		}
	}
}

// counted waits until the controller of a quota has counted what its spec limits: before, nothing is refused.
func (s *shop) counted(key string) {
	s.Helper()
	name, is := strings.CutPrefix(key, "ResourceQuota/")
	for deadline := time.Now().Add(5 * time.Minute); is && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		u, err := s.resource("ResourceQuota").Get(s.Context(), name, metav1.GetOptions{})
		if err != nil {
			s.Fatal(err)
		}
		hard, _, _ := unstructured.NestedMap(u.Object, "spec", "hard")
		status, _, _ := unstructured.NestedMap(u.Object, "status", "hard")
		used, _, _ := unstructured.NestedMap(u.Object, "status", "used")
		if is = !reflect.DeepEqual(hard, status) || len(used) != len(hard); !is {
			return
		}
	}
}

// settle waits until nothing has been written for a while, and plays what the kubelets write. The nodes' own reports do not count.
func (s *shop) settle() {
	s.Helper()
	before, quiet := "", 0
	for deadline := time.Now().Add(5 * time.Minute); quiet < 3 && time.Now().Before(deadline); {
		if len(s.played)+len(s.events) > 0 {
			s.play()
		}
		var now strings.Builder
		for _, kind := range []string{"Pod", "Deployment", "Service", "PersistentVolumeClaim", "ResourceQuota", "Job",
			"HorizontalPodAutoscaler"} {
			list, err := s.metadata.Resource(s.mapping(kind).Resource).Namespace(namespace).List(s.Context(), metav1.ListOptions{})
			if err != nil {
				s.Fatal(err)
			}
			for _, u := range list.Items {
				fmt.Fprint(&now, u.GetName(), u.GetResourceVersion(), " ")
			}
		}
		if quiet++; now.String() != before {
			quiet = 0
		}
		before = now.String()
		time.Sleep(200 * time.Millisecond)
	}
}

// why returns the lines about each cause that the command names: of the cluster, in a dump of it, and of the namespace, in turns.
func (s *shop) why(dump bool) []string {
	s.Helper()
	switch {
	case dump || s.rounds%3 == 1:
		return s.causes("-A", "-f", s.dump())
	case s.rounds%3 == 2:
		return s.causes("-n", namespace, "--kubeconfig", s.kubeconfig)
	}
	return s.causes("-A", "--kubeconfig", s.kubeconfig)
}

// causes returns the lines about each cause that the command names with some flags.
func (s *shop) causes(flags ...string) []string {
	s.Helper()
	command := exec.CommandContext(s.Context(), os.Args[0], append([]string{"why", "--no-group", "-o", "brief"}, flags...)...)
	command.Env = append(os.Environ(), asCommand+"=1")
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		s.Fatalf("%v: %s", err, &errs)
	}
	var causes []string
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[1:] {
		if strings.HasPrefix(line, " ") {
			causes[len(causes)-1] += "\n" + line
		} else {
			causes = append(causes, line)
		}
	}
	return causes
}

// dump writes every object of the cluster into a file, as a person who asks for help does, and returns its name.
func (s *shop) dump() string {
	s.Helper()
	file, err := os.Create(filepath.Join(filepath.Dir(s.kubeconfig), "dump.yaml"))
	if err != nil {
		s.Fatal(err)
	}
	defer file.Close()
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for _, u := range s.items(kind, "", metav1.ListOptions{}) {
			data, err := json.Marshal(u.Object)
			if err != nil {
				s.Fatal(err)
			}
			fmt.Fprintf(file, "---\n%s\n", data)
		}
	}
	return file.Name()
}

// restore makes the shop as it was, and waits until it is healthy.
func (s *shop) restore() {
	s.Helper()
	s.played, s.events = map[string]words{}, map[string]words{}
	s.resume()
	s.patch("StatefulSet/db", map[string]any{"spec": map[string]any{"replicas": 2}}, "") // before a quota lets it grow
	// what is over the quota goes away after its replacement has come
	s.delete("ResourceQuota/" + namespace)
	for _, kind := range restored {
		there := map[string]bool{}
		for _, u := range s.list(kind) {
			key := kind + "/" + u.GetName()
			saved := s.saved[key]
			if there[key] = true; saved == nil {
				if u.GetName() != "kube-root-ca.crt" {
					s.delete(key)
				}
				continue
			}
			if same(saved, &u) {
				continue
			}
			if kind == "PersistentVolumeClaim" {
				continue
			}
			if kind == "PersistentVolume" { // one that a claim of the round has got is free again
				claim, _, _ := unstructured.NestedString(u.Object, "spec", "claimRef", "name")
				if s.saved["PersistentVolumeClaim/"+claim] == nil {
					s.patch(key, map[string]any{"spec": map[string]any{"claimRef": nil}}, "")
				}
				continue
			}
			if err := s.update(saved); err != nil {
				s.Fatal(err)
			}
		}
		if kind == "ResourceQuota" {
			s.rested()
		}
		for key, saved := range s.saved {
			if strings.HasPrefix(key, kind+"/") && !there[key] {
				again := saved.DeepCopy()
				again.SetResourceVersion("")
				again.SetUID("")
				s.create(again)
			}
		}
	}
	s.healthy()
}

// update writes a saved object over the present one. Only budgets need the version of that, which their controller changes.
func (s *shop) update(saved *unstructured.Unstructured) error {
	again := saved.DeepCopy()
	again.SetUID("")
	again.SetManagedFields(nil)
	if again.SetResourceVersion(""); saved.GetKind() != "PodDisruptionBudget" {
		_, err := s.resource(saved.GetKind()).Update(s.Context(), again, metav1.UpdateOptions{})
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		now, err := s.resource(saved.GetKind()).Get(s.Context(), saved.GetName(), metav1.GetOptions{})
		if err == nil {
			again.SetResourceVersion(now.GetResourceVersion())
			_, err = s.resource(saved.GetKind()).Update(s.Context(), again, metav1.UpdateOptions{})
		}
		return err
	})
}

// same reports whether two objects are the same but for what the server and the controllers write.
func same(a, b *unstructured.Unstructured) bool {
	for _, field := range []string{"spec", "data", "webhooks"} {
		if !reflect.DeepEqual(a.Object[field], b.Object[field]) {
			return false
		}
	}
	return reflect.DeepEqual(a.GetLabels(), b.GetLabels())
}

// rested waits until there are as many pods as the shop has.
func (s *shop) rested() {
	s.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		pods := s.list("Pod")
		if len(pods) == 2*len(calls) &&
			!slices.ContainsFunc(pods, func(p unstructured.Unstructured) bool { return p.GetDeletionTimestamp() != nil }) {
			return
		}
		if time.Now().After(deadline) {
			s.Fatalf("%d pods, want %d", len(pods), 2*len(calls))
		}
	}
}

// healthy waits until the shop has all pods, no others, and why finds nothing wrong.
func (s *shop) healthy() {
	s.Helper()
	var last string
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		s.rested()
		causes := s.why(false)
		if len(causes) == 0 {
			return
		}
		last = strings.Join(causes, "\n")
	}
	s.Fatalf("the shop does not become healthy: %s", last)
}
