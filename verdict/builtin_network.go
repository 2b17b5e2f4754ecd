// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/lexicon"
)

// service judges a Service: only a load balancer has something to wait for.
func (j *judgement) service() {
	j.v.Rule = "builtin/Service"
	if j.spec.getStr("type") != "LoadBalancer" {
		j.conclude(Current, "NoLoadBalancer", text("nothing to wait for"))
		j.proveSpec("type")
	} else if !j.concludeIfTrue(Failed, "LoadBalancerPortsError") {
		j.loadBalancer("the load balancer has no address yet")
	}
}

// ingress judges an Ingress: a controller that takes it assigns an address.
func (j *judgement) ingress() {
	j.v.Rule = "builtin/Ingress"
	j.loadBalancer("no controller has given it an address yet")
}

func (j *judgement) loadBalancer(missing string) {
	list := j.status.get2("loadBalancer", "ingress")
	var portError Object
	it := list.items()
	for n := (Object{}); it.more(&n); {
		ports := n.get("ports").items()
		for p := (Object{}); !portError.present() && ports.more(&p); {
			portError = p.get("error")
		}
	}
	switch {
	case list.size() == 0:
		j.conclude(InProgress, "NoAddress", text(missing))
	case portError.present():
		j.conclude(Degraded, "PortError", message{format: listed, s1: "a port of the load balancer", s2: portError.Text()})
	default:
		j.conclude(Current, "Address", text("an address is assigned"))
	}
	j.v.prove(fact{atStatus, "loadBalancer", "ingress", list})
}

// serviceCIDR judges a ServiceCIDR by its only condition.
func (j *judgement) serviceCIDR() {
	j.v.Rule = "builtin/ServiceCIDR"
	var c Condition
	switch found := j.find("Ready", &c); {
	case !found:
		j.conclude(InProgress, "NotReported", text("no condition was reported yet"), "conditions")
	case c.Status == conditions.True:
		j.concludeBy(Current, &c)
	case c.Status == conditions.False && j.words.MeaningOf(c.Reason()) == lexicon.Broken:
		j.concludeBy(Failed, &c)
	default:
		j.concludeBy(InProgress, &c)
	}
}

// gateway judges the kinds of the Gateway API. The conditions of gateways and classes and those nested in listeners, parents and ancestors
// follow one scheme, so the conventions decide; before a controller takes the object, its conditions are Unknown with the reason Pending.
func (j *judgement) gateway() {
	const rule = "builtin/Gateway"
	j.v.Rule = rule
	reported := j.status.get("conditions").size() > 0
	switch j.kind {
	case "ReferenceGrant":
		j.static()
		return
	case "GatewayClass", "Gateway":
		if !reported {
			j.conclude(InProgress, "Pending", text("no controller has accepted it yet"), "conditions")
			return
		}
	default:
		field := "parents"
		if j.status.get("ancestors").kind() != kindNone {
			field = "ancestors"
		}
		if !reported && j.status.get(field).size() == 0 {
			j.conclude(InProgress, "NoParent", text("no parent has accepted it yet"), field)
			return
		}
	}
	j.v.Rule = ""
	j.conventions()
	if j.v.Confidence == FromCondition {
		j.v.Confidence, j.v.Rule = FromBuiltin, rule
	}
}
