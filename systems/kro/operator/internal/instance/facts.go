// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	krocel "github.com/kubernetes-sigs/kro/pkg/cel"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// facts adds the resources, with a verdict on each object, to the facts. next is the time at which a verdict changes by time alone; zero:
// never.
func (p *pass) facts(f *Facts, now time.Time) (next time.Time) {
	look := func(at time.Time) {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, n := range p.nodes {
		for _, o := range n.observed {
			v := p.Engine.Judge(o.Object, now)
			c := Child{Name: name(o), Going: o.GetDeletionTimestamp() != nil, Verdict: v.Status, Message: v.Message}
			if (v.Status == verdict.Unknown || v.Status == verdict.InProgress) && o.Object["status"] == nil && mute(p.schemas[n.id()]) {
				c.Verdict, c.Message = verdict.Current, "its kind has no status"
			}
			look(v.NextLook)
			if p.lenient && !n.fact.Asked && quiet(o, c.Verdict) {
				if heard := o.GetCreationTimestamp().Add(Silence); now.Before(heard) && c.Verdict != verdict.Suspended {
					look(heard)
				} else {
					c.Message = fmt.Sprintf("it is %s, which readiness %s does not wait for: %s", c.Verdict, declare.AsKro, c.Message)
					c.Verdict = verdict.Current
				}
			}
			n.fact.Children = append(n.fact.Children, c)
		}
		for _, missing := range n.missing {
			n.fact.Children = append(n.fact.Children, Child{Name: missing, Missing: true})
		}
		n.readyWhen(&p.budget)
		f.Resources = append(f.Resources, n.fact)
	}
	return next
}

// Silence is how long a controller may take to say something about a new object, before readiness kro takes it for one that no controller
// reports about.
const Silence = 10 * time.Second

// quiet reports whether an object is switched off, or waits for a controller that says nothing. Those of workloads are part of Kubernetes
// and always say something.
func quiet(o *unstructured.Unstructured, v verdict.Status) bool {
	group := o.GroupVersionKind().Group
	return v == verdict.Suspended || (v == verdict.Unknown || v == verdict.InProgress) && !said(o.Object["status"]) && group != "apps" &&
		group != "batch"
}

// said reports whether a status has any value; maps and lists without one are defaults of the API server.
func said(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case map[string]any:
		for _, field := range v {
			if said(field) {
				return true
			}
		}
		return false
	case []any:
		return slices.ContainsFunc(v, said)
	}
	return true
}

// mute reports whether a kind has no status by its schema, so that there is nothing to wait for.
func mute(schema *spec.Schema) bool {
	if schema == nil || len(schema.Properties) == 0 {
		return false
	}
	open, _ := schema.Extensions.GetBool("x-kubernetes-preserve-unknown-fields")
	_, has := schema.Properties["status"]
	return !has && !open
}

// readyWhen evaluates the expressions of readyWhen on the stored objects.
func (n *node) readyWhen(b *budget) {
	if !n.fact.Asked || n.fact.Excluded || n.fact.Broken != "" {
		return
	}
	many := n.Spec.Meta.Type == graph.NodeTypeCollection || n.Spec.Meta.Type == graph.NodeTypeExternalCollection
	if len(n.observed) == 0 && !many {
		n.fact.Unmet = n.Spec.ReadyWhen[0].UserExpression()
		return
	}
	for _, o := range n.observed {
		variable := n.id()
		if many {
			variable = graph.EachVarName
		}
		for _, e := range n.Spec.ReadyWhen {
			met := false
			err := b.spend(func() (err error) {
				met, err = holds(e, map[string]any{variable: o.Object})
				return err
			})
			if err != nil {
				n.fact.Broken = fmt.Sprintf("readyWhen %q: %v", e.UserExpression(), err)
				return
			}
			if !met {
				n.fact.Unmet = e.UserExpression()
				if many {
					n.fact.Unmet += " of " + name(o)
				}
				return
			}
		}
	}
}

// holds evaluates an expression; it is false while a field that it reads does not exist.
func holds(e *krocel.Expression, variables map[string]any) (bool, error) {
	value, err := e.Eval(variables)
	if err != nil {
		for _, absent := range []string{"no such key", "no such field", "no such attribute", "index out of bounds"} {
			if strings.Contains(err.Error(), absent) {
				return false, nil
			}
		}
		return false, err
	}
	b, ok := value.(bool)
	if !ok {
		return false, fmt.Errorf("it is %T, not a bool", value)
	}
	return b, nil
}

// custom evaluates the custom conditions of the definition, which may read the conditions that kro writes.
func (p *pass) custom(f *Facts, kind *declare.Kind, stored []conditions.Condition, now time.Time) {
	instance := p.runtime.Instance()
	before := kind.Conditions.Begin(p.instance.GetGeneration(), stored, now)
	Judge(before, *f)
	instance.SetObserved([]*unstructured.Unstructured{p.instance})
	list, incomplete, err := instance.EvaluateConditions(p.Log, builtin(before.Commit()))
	f.Custom = list
	if err != nil {
		f.Failed = clean(err)
	}
	for _, t := range kind.Conditions.Types {
		counts := t.Role == conditions.RoleDependent && !core(t.Name)
		said := slices.ContainsFunc(list, func(c condition) bool { return declare.Renamed(c.ConditionType) == t.Name })
		if counts && !said && (incomplete || !t.Optional) {
			f.Silent = append(f.Silent, t.Name)
		}
	}
}

func core(name string) bool {
	return name == declare.InstanceManaged || name == declare.GraphResolved || name == declare.InstanceSynced || name == declare.ResourcesReady
}

// builtin returns the conditions that expressions of a definition may read.
func builtin(r conditions.Result) []v1alpha1.Condition {
	return slices.DeleteFunc(kros(r.Owned()), func(c v1alpha1.Condition) bool {
		_, ok := v1alpha1.KROBuiltinConditionTypes[string(c.Type)]
		return !ok
	})
}

// kros returns conditions in kro's type.
func kros(list []conditions.Condition) []v1alpha1.Condition {
	out := make([]v1alpha1.Condition, 0, len(list))
	for _, c := range list {
		out = append(out, v1alpha1.Condition{Type: v1alpha1.ConditionType(c.Type), Status: c.Status, Reason: &c.Reason, Message: &c.Message,
			LastTransitionTime: &c.LastTransitionTime, ObservedGeneration: c.ObservedGeneration})
	}
	return out
}
