// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"fmt"

	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	serviceKind = schema.GroupKind{Kind: "Service"}
	ingressKind = schema.GroupKind{Group: "networking.k8s.io", Kind: "Ingress"}
	sliceKind   = schema.GroupKind{Group: "discovery.k8s.io", Kind: "EndpointSlice"}
)

// NoEndpoints is the reason of a Service that has a selector and no ready endpoint.
const NoEndpoints = "NoEndpoints"

// noBackend is the reason of an Ingress that leads to such a Service.
const noBackend = "BackendWithoutEndpoints"

// ByEndpoints reports whether endpoints take part in the judgement of an object: of a Service that selects pods, and of an Ingress. See
// [View.Judgement].
func ByEndpoints(o *Object) bool {
	if o.GroupKind == ingressKind {
		return true
	}
	spec := nested.Map(o.Content, "spec")
	selector := nested.Map(spec, "selector")
	return o.GroupKind == serviceKind && len(selector) > 0 && spec["type"] != "ExternalName"
}

// served returns the judgement of a Service or an Ingress with the part that endpoints take in it: without a ready one it is Degraded.
// Where the endpoints were not read they take none.
func (v *View) served(o *Object, own Judgement) Judgement {
	j := own
	degrade := func(reason, message string) {
		j.Verdict, j.Ready, j.Reason, j.Message = verdict.Degraded, false, reason, message
		j.Type, j.Status = "", ""
	}
	if o.GroupKind == serviceKind {
		var keys []string
		for _, r := range v.Graph.table.of(o.GroupKind) {
			if r.Way == shares && r.item == sliceKind {
				keys = append(keys, markKey(r.mark, r.own(o)))
			}
		}
		v.reading(o.ID, keys)
		if !v.Graph.covered(ID{GroupKind: sliceKind, Namespace: o.Namespace}) {
			return own
		}
		ready, all := v.endpoints(o)
		switch {
		case own.Verdict != verdict.Current || ready > 0:
		case all == 0:
			degrade(NoEndpoints, "it has no endpoint: no pod that it selects runs")
		default:
			degrade(NoEndpoints, fmt.Sprintf("no endpoint is ready (0 of %d)", all))
		}
		return j
	}
	var keys []string
	for _, e := range v.below(o) {
		if e.GroupKind != serviceKind {
			continue
		}
		keys = append(keys, e.ID.key())
		if e.Object == nil {
			continue
		}
		if its := v.judge(e.Object); !its.Fine() && (its.Reason == NoEndpoints || its.Derived()) && own.Verdict == verdict.Current {
			degrade(noBackend, "Service/"+e.Name+": "+its.Message)
		}
	}
	v.reading(o.ID, keys)
	return j
}

// endpoints counts the ready endpoints of a Service, and all. One that does not say whether it is ready is.
func (v *View) endpoints(o *Object) (ready, all int) {
	for _, r := range v.Graph.table.of(o.GroupKind) {
		if r.Way != shares || r.item != sliceKind {
			continue
		}
		for _, slice := range v.followed(r, o) {
			for _, endpoint := range nested.Maps(slice.Content, "endpoints") {
				if all++; nested.At(endpoint, "conditions", "ready") != false {
					ready++
				}
			}
		}
	}
	return ready, all
}

// wantEndpoints wants what [View.served] reads.
func (v *View) wantEndpoints(o *Object, want wants) {
	want.part(sliceKind, o.Namespace)
	if o.GroupKind == ingressKind {
		want.part(serviceKind, o.Namespace)
	}
}
