// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/convention"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// service judges a Service: only a load balancer has something to wait for.
func (j *Kinds) service() {
	j.Answer.Rule = "builtin/Service"
	if j.Spec.TextAt("type") != "LoadBalancer" {
		j.conclude(answer.Current, "NoLoadBalancer", object.Text("nothing to wait for"))
		j.ProveSpec("type")
	} else if !j.concludeIfTrue(answer.Failed, "LoadBalancerPortsError") {
		j.loadBalancer("the load balancer has no address yet")
	}
}

// ingress judges an Ingress: a controller that takes it assigns an address.
func (j *Kinds) ingress() {
	j.Answer.Rule = "builtin/Ingress"
	j.loadBalancer("no controller has given it an address yet")
}

func (j *Kinds) loadBalancer(missing string) {
	list := j.Status.Get2("loadBalancer", "ingress")
	var portError object.Value
	for n := range list.Items() {
		for p := range n.Get("ports").Items() {
			if !portError.Present() {
				portError = p.Get("error")
			}
		}
	}
	switch {
	case list.Size() == 0:
		j.conclude(answer.InProgress, "NoAddress", object.Text(missing))
	case portError.Present():
		j.conclude(answer.Degraded, "PortError", object.Listed.Of("a port of the load balancer", portError.Text()))
	default:
		j.conclude(answer.Current, "Address", object.Text("an address is assigned"))
	}
	j.Answer.Prove(object.InStatus("loadBalancer", "ingress", list))
}

// serviceCIDR judges a ServiceCIDR by its only condition.
func (j *Kinds) serviceCIDR() {
	j.Answer.Rule = "builtin/ServiceCIDR"
	var c object.Condition
	switch found := j.Find("Ready", &c); {
	case !found:
		j.conclude(answer.InProgress, "NotReported", object.Text("no condition was reported yet"), "conditions")
	case c.Status == conditions.True:
		j.concludeBy(answer.Current, &c)
	case c.Status == conditions.False && j.Words.MeaningOf(c.Reason()) == lexicon.Broken:
		j.concludeBy(answer.Failed, &c)
	default:
		j.concludeBy(answer.InProgress, &c)
	}
}

// gateway judges the kinds of the Gateway API. The conditions of gateways and classes and those nested in listeners, parents and ancestors
// follow one scheme, so the conventions decide; before a controller takes the object, its conditions are Unknown with the reason Pending.
func (j *Kinds) gateway() {
	const rule = "builtin/Gateway"
	j.Answer.Rule = rule
	reported := j.Status.Get("conditions").Size() > 0
	switch j.Kind {
	case "ReferenceGrant":
		j.concludeStatic()
		return
	case "GatewayClass", "Gateway":
		if !reported {
			j.conclude(answer.InProgress, "Pending", object.Text("no controller has accepted it yet"), "conditions")
			return
		}
	default:
		field := "parents"
		if j.Status.Get("ancestors").Kind() != object.None {
			field = "ancestors"
		}
		if !reported && j.Status.Get(field).Size() == 0 {
			j.conclude(answer.InProgress, "NoParent", object.Text("no parent has accepted it yet"), field)
			return
		}
	}
	j.Answer.Rule = ""
	j.Conventions.Judge(&j.Judgement)
	if !convention.Guessed(&j.Answer) {
		j.Answer.Rule = rule
	}
}
