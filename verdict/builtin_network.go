// SPDX-License-Identifier: Apache-2.0

package verdict

// service: only a load balancer has something to wait for.
func (j *judge) service() {
	const rule = "builtin/Service"
	if j.spec.get("type").str() != "LoadBalancer" {
		j.answer(Current, FromBuiltin, rule, "NoLoadBalancer", text("nothing to wait for"))
		j.proveSpec("type")
		return
	}
	var c cond
	if j.find("LoadBalancerPortsError", &c) && c.status == isTrueWord {
		j.byCond(Failed, rule, &c)
		return
	}
	j.loadBalancer(rule, "the load balancer has no address yet")
}

// ingress: an address says that a controller has taken it.
func (j *judge) ingress() {
	j.loadBalancer("builtin/Ingress", "no controller has given it an address yet")
}

func (j *judge) loadBalancer(rule, missing string) {
	list := j.status.get2("loadBalancer", "ingress")
	if list.size() == 0 {
		j.answer(InProgress, FromBuiltin, rule, "NoAddress", text(missing))
		j.prove(atStatus, "loadBalancer", "ingress", list)
		return
	}
	it := list.items()
	for n := (node{}); it.more(&n); {
		ports := n.get("ports").items()
		for p := (node{}); ports.more(&p); {
			if e := p.get("error"); e.present() {
				j.answer(Degraded, FromBuiltin, rule, "PortError", message{wording: listed, s1: "a port of the load balancer", s2: e.str()})
				j.prove(atStatus, "loadBalancer", "ingress", list)
				return
			}
		}
	}
	j.answer(Current, FromBuiltin, rule, "Address", text("an address is assigned"))
	j.prove(atStatus, "loadBalancer", "ingress", list)
}

// gateway judges the kinds of the Gateway API. The conditions of gateways and classes and those nested in listeners,
// parents and ancestors follow one scheme, so the conventions decide; before a controller takes the object, its
// conditions are Unknown with reason Pending.
func (j *judge) gateway() bool {
	switch j.kind {
	case "ReferenceGrant":
		return j.static()
	case "GatewayClass", "Gateway":
		if j.status.get("conditions").size() == 0 {
			j.answer(InProgress, FromBuiltin, "builtin/Gateway", "Pending", text("no controller has taken it yet"))
			j.prove(atPath, ".status.conditions", "", j.status.get("conditions"))
			return true
		}
	default:
		list, path := j.status.get("parents"), ".status.parents"
		if a := j.status.get("ancestors"); a.kind() != kindNone {
			list, path = a, ".status.ancestors"
		}
		if list.size() == 0 && j.status.get("conditions").size() == 0 {
			j.answer(InProgress, FromBuiltin, "builtin/Gateway", "NoParent", text("no parent has taken it yet"))
			j.prove(atPath, path, "", list)
			return true
		}
	}
	j.conventions()
	if j.v.Confidence == FromCondition {
		j.v.Confidence = FromBuiltin
		j.v.Rule = "builtin/Gateway"
	}
	return true
}
