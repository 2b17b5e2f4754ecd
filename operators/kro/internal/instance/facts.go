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
	"github.com/tristate/tristate/operators/kro/internal/declare"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// facts adds the resources, with a verdict on each object, to the facts. next is the time at which a verdict changes by time alone; zero: never.
func (p *pass) facts(f *Facts, now time.Time) (next time.Time) {
	for _, n := range p.nodes {
		for _, o := range n.observed {
			v := p.Engine.Judge(o.Object, now)
			c := Child{Name: name(o), Going: o.GetDeletionTimestamp() != nil, Verdict: v.Status, Message: v.Message()}
			if (v.Status == verdict.Unknown || v.Status == verdict.InProgress) && o.Object["status"] == nil && mute(p.schemas[n.id()]) {
				c.Verdict, c.Message = verdict.Current, "its kind has no status"
			}
			n.fact.Children = append(n.fact.Children, c)
			if !v.NextLook.IsZero() && (next.IsZero() || v.NextLook.Before(next)) {
				next = v.NextLook
			}
		}
		for _, missing := range n.missing {
			n.fact.Children = append(n.fact.Children, Child{Name: missing, Missing: true})
		}
		n.readyWhen()
		f.Resources = append(f.Resources, n.fact)
	}
	return next
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
func (n *node) readyWhen() {
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
			holds, err := holds(e, map[string]any{variable: o.Object})
			if err != nil {
				n.fact.Broken = fmt.Sprintf("readyWhen %q: %v", e.UserExpression(), err)
				return
			}
			if !holds {
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
	var out []v1alpha1.Condition
	for _, c := range r.Owned {
		if _, ok := v1alpha1.KROBuiltinConditionTypes[c.Type]; ok {
			reason, message := c.Reason, c.Message
			out = append(out, v1alpha1.Condition{Type: v1alpha1.ConditionType(c.Type), Status: c.Status, Reason: &reason, Message: &message, ObservedGeneration: c.ObservedGeneration})
		}
	}
	return out
}
