// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/json"

	operatorpkg "github.com/awslabs/operatorpkg/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	knative "knative.dev/pkg/apis"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// facts are the status fields of a device besides its conditions.
type facts struct {
	Phase    string       `json:"phase,omitempty"`
	Address  string       `json:"address,omitempty"`
	Replicas int32        `json:"replicas"`
	Since    *metav1.Time `json:"since,omitempty"`
	Digest   string       `json:"digest,omitempty"`
}

var since = &metav1.Time{Time: moment}

// known returns the five facts, which never change.
func known() facts {
	return facts{Phase: "Running", Address: "10.1.2.3", Replicas: 3, Since: since, Digest: "sha256:0d5e"}
}

// copied returns a deep copy.
func (f facts) copied() facts {
	f.Since = f.Since.DeepCopy()
	return f
}

type deviceSpec struct {
	Image  string            `json:"image,omitempty"`
	Size   string            `json:"size,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

type deviceStatus struct {
	facts              `json:",inline"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// device is a typed object with conditions of apimachinery.
type device struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              deviceSpec   `json:"spec,omitempty"`
	Status            deviceStatus `json:"status,omitempty"`
}

func (m *device) GetConditions() []metav1.Condition  { return m.Status.Conditions }
func (m *device) SetConditions(c []metav1.Condition) { m.Status.Conditions = c }
func (m *device) DeepCopyObject() runtime.Object {
	out := &device{TypeMeta: m.TypeMeta, ObjectMeta: *m.ObjectMeta.DeepCopy(), Spec: m.Spec.copied(), Status: m.Status}
	out.Status.facts = m.Status.facts.copied()
	out.Status.Conditions = append([]metav1.Condition(nil), m.Status.Conditions...)
	return out
}

func (s deviceSpec) copied() deviceSpec {
	labels := map[string]string{}
	for k, v := range s.Labels {
		labels[k] = v
	}
	s.Labels = labels
	return s
}

// newMeta returns the metadata and the spec of an object as an API server has them.
func newMeta() (metav1.ObjectMeta, deviceSpec) {
	return metav1.ObjectMeta{Namespace: "default", Name: "m1", UID: "3f6c", ResourceVersion: "17", Generation: 3,
			CreationTimestamp: metav1.Time{Time: moment},
			Labels:            map[string]string{"app": "m", "tier": "back"}, Annotations: map[string]string{"example.dev/owner": "ops"}},
		deviceSpec{Image: "example.dev/m:1", Size: "large", Labels: map[string]string{"a": "b"}}
}

func newDevice() *device {
	m := &device{TypeMeta: metav1.TypeMeta{APIVersion: "example.dev/v1", Kind: "Thing"}}
	m.ObjectMeta, m.Spec = newMeta()
	m.Status.facts, m.Status.ObservedGeneration = known(), m.Generation
	return m
}

// stored makes the object what a client reads of it.
func (m *device) stored() error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	*m = device{}
	return json.Unmarshal(data, m)
}

// operatorpkgDevice has conditions of operatorpkg.
type operatorpkgDevice struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec   deviceSpec
	Status struct {
		facts
		Conditions []operatorpkg.Condition
	}
}

func (m *operatorpkgDevice) GetConditions() []operatorpkg.Condition  { return m.Status.Conditions }
func (m *operatorpkgDevice) SetConditions(c []operatorpkg.Condition) { m.Status.Conditions = c }
func (m *operatorpkgDevice) DeepCopyObject() runtime.Object {
	out := &operatorpkgDevice{TypeMeta: m.TypeMeta, ObjectMeta: *m.ObjectMeta.DeepCopy(), Spec: m.Spec.copied(), Status: m.Status}
	out.Status.facts = m.Status.facts.copied()
	out.Status.Conditions = append([]operatorpkg.Condition(nil), m.Status.Conditions...)
	return out
}
func (m *operatorpkgDevice) StatusConditions(with ...operatorpkg.ForOption) operatorpkg.ConditionSet {
	return operatorpkg.NewReadyConditions(typeNames[:parts]...).For(m, with...)
}

// knativeDevice has conditions of Knative.
type knativeDevice struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec   deviceSpec
	Status struct {
		facts
		knativeStatus
		ObservedGeneration int64
	}
}

func (m *knativeDevice) copied() *knativeDevice {
	out := &knativeDevice{TypeMeta: m.TypeMeta, ObjectMeta: *m.ObjectMeta.DeepCopy(), Spec: m.Spec.copied(), Status: m.Status}
	out.Status.facts = m.Status.facts.copied()
	out.Status.list = append(knative.Conditions(nil), m.Status.list...)
	return out
}

// offline is a client that knows the scheme; a request panics.
type offline struct{ client.Client }

var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypeWithName(schema.GroupVersionKind{Group: "example.dev", Version: "v1", Kind: "Thing"}, &device{})
	return s
}()

func (offline) Scheme() *runtime.Scheme { return scheme }
