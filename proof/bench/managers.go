// SPDX-License-Identifier: Apache-2.0

package bench

import (
	operatorpkg "github.com/awslabs/operatorpkg/status"
	"github.com/fluxcd/pkg/runtime/conditions"
	krov1 "github.com/kubernetes-sigs/kro/api/v1alpha1"
	kro "github.com/kubernetes-sigs/kro/pkg/apis"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	knative "knative.dev/pkg/apis"
)

// others are the libraries that no other case has: a pass over ten conditions in each. bump means that each pass reconciles a
// generation of its own, so that everything has to be observed anew.
func others(bump bool) []Run {
	raise := func(m *metav1.ObjectMeta) {
		if bump {
			m.Generation++
		}
	}
	runs := []Run{
		{"Flux", func() func() error {
			o := &object{}
			return func() error {
				raise(&o.ObjectMeta)
				for i := range parts {
					_, reason, message := fact(i, 0, 0)
					conditions.MarkTrue(o, typeNames[i], reason, "%s", message)
				}
				conditions.SetSummary(o, "Ready", conditions.WithConditions(typeNames[:parts]...))
				return nil
			}
		}},
		{"operatorpkg", func() func() error {
			o := &operatorpkgObject{}
			return func() error {
				raise(&o.ObjectMeta)
				set := o.StatusConditions()
				for i := range parts {
					_, reason, message := fact(i, 0, 0)
					set.SetTrueWithReason(typeNames[i], reason, message)
				}
				return nil
			}
		}},
		{"kro", func() func() error {
			types := kro.NewReadyConditions(typeNames[:parts]...)
			o := &kroObject{}
			return func() error {
				raise(&o.ObjectMeta)
				set := types.For(o)
				for i := range parts {
					_, reason, message := fact(i, 0, 0)
					set.SetTrueWithReason(typeNames[i], reason, message)
				}
				return nil
			}
		}},
	}
	if bump {
		return runs // Knative's conditions have no generation
	}
	return append(runs, Run{"Knative", func() func() error {
		var types []knative.ConditionType
		for i := range parts {
			types = append(types, knative.ConditionType(typeNames[i]))
		}
		set := knative.NewLivingConditionSet(types...)
		status := &knativeStatus{}
		return func() error {
			m := set.Manage(status)
			m.InitializeConditions()
			for i := range parts {
				_, reason, message := fact(i, 0, 0)
				m.MarkTrueWithReason(types[i], reason, "%s", message)
			}
			return nil
		}
	}})
}

// operatorpkgObject has conditions as operatorpkg wants them.
type operatorpkgObject struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	list []operatorpkg.Condition
}

func (o *operatorpkgObject) GetConditions() []operatorpkg.Condition  { return o.list }
func (o *operatorpkgObject) SetConditions(c []operatorpkg.Condition) { o.list = c }
func (o *operatorpkgObject) DeepCopyObject() runtime.Object          { c := *o; return &c }
func (o *operatorpkgObject) StatusConditions(with ...operatorpkg.ForOption) operatorpkg.ConditionSet {
	return operatorpkg.NewReadyConditions(typeNames[:parts]...).For(o, with...)
}

// kroObject has conditions as kro wants them.
type kroObject struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	list []krov1.Condition
}

func (o *kroObject) GetConditions() []krov1.Condition  { return o.list }
func (o *kroObject) SetConditions(c []krov1.Condition) { o.list = c }
func (o *kroObject) DeepCopyObject() runtime.Object    { c := *o; return &c }

// knativeStatus has conditions as Knative wants them.
type knativeStatus struct{ list knative.Conditions }

func (s *knativeStatus) GetConditions() knative.Conditions  { return s.list }
func (s *knativeStatus) SetConditions(c knative.Conditions) { s.list = c }
