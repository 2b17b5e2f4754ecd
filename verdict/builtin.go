// SPDX-License-Identifier: Apache-2.0

package verdict

import "github.com/tristate/tristate/conditions"

// builtin judges the kinds of the API server, of any version, and reports false for others. Each kind sets its rule and then concludes.
//
// The catalogs of Kubernetes declare the conditions of these kinds for readers, and do not judge them: an engine without any catalog judges
// them too, the rules compare numbers of the spec with those of the status and count them in the message, and they are most objects of a
// cluster, for which no expression is evaluated.
func (j *judgement) builtin() bool {
	switch j.group {
	case "":
		return j.core()
	case "apps", "extensions":
		switch j.kind {
		case "Deployment":
			j.deployment()
		case "ReplicaSet":
			j.replicaSet("builtin/ReplicaSet")
		case "StatefulSet":
			j.statefulSet()
		case "DaemonSet":
			j.daemonSet()
		case "ControllerRevision", "PodSecurityPolicy", "NetworkPolicy":
			j.static()
		case "Ingress":
			j.ingress()
		default:
			return false
		}
	case "batch":
		switch j.kind {
		case "Job":
			j.job()
		case "CronJob":
			j.cronJob()
		default:
			return false
		}
	case "policy":
		switch j.kind {
		case "PodDisruptionBudget":
			j.budget()
		case "PodSecurityPolicy":
			j.static()
		default:
			return false
		}
	case "autoscaling":
		if j.kind != "HorizontalPodAutoscaler" {
			return false
		}
		j.autoscaler()
	case "networking.k8s.io":
		switch j.kind {
		case "Ingress":
			j.ingress()
		case "NetworkPolicy", "IngressClass", "IPAddress":
			j.static()
		case "ServiceCIDR":
			j.serviceCIDR()
		default:
			return false
		}
	case "gateway.networking.k8s.io", "gateway.networking.x-k8s.io":
		j.gateway()
	default:
		return j.controlPlane()
	}
	return true
}

// core judges the kinds of the core group.
func (j *judgement) core() bool {
	switch j.kind {
	case "Pod":
		j.pod()
	case "Service":
		j.service()
	case "PersistentVolumeClaim":
		j.volumeClaim()
	case "PersistentVolume":
		j.volume()
	case "Node":
		j.clusterNode()
	case "Namespace":
		j.namespace()
	case "ReplicationController":
		j.replicaSet("builtin/ReplicationController")
	case "ResourceQuota":
		j.quota()
	case "ConfigMap", "Secret", "ServiceAccount", "Endpoints", "LimitRange", "Event", "PodTemplate", "Binding", "ComponentStatus":
		j.static()
	default:
		return false
	}
	return true
}

// controlPlane judges the kinds of the groups that serve the API server itself.
func (j *judgement) controlPlane() bool {
	switch j.group {
	case "apiextensions.k8s.io", "apiregistration.k8s.io", "storagemigration.k8s.io":
		switch j.kind {
		case "CustomResourceDefinition":
			j.definition()
		case "APIService":
			j.apiService()
		case "StorageVersionMigration":
			j.migration()
		default:
			return false
		}
	case "certificates.k8s.io":
		switch j.kind {
		case "CertificateSigningRequest":
			j.signingRequest()
		case "ClusterTrustBundle":
			j.static()
		default:
			return false
		}
	case "flowcontrol.apiserver.k8s.io":
		switch j.kind {
		case "FlowSchema":
			j.flowSchema()
		case "PriorityLevelConfiguration":
			j.static()
		default:
			return false
		}
	case "admissionregistration.k8s.io":
		switch j.kind {
		case "ValidatingAdmissionPolicy":
			j.admissionPolicy()
		case "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicyBinding",
			"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
			j.static()
		default:
			return false
		}
	case "storage.k8s.io":
		switch j.kind {
		case "VolumeAttachment":
			j.attachment()
		case "StorageClass", "CSIDriver", "CSINode", "CSIStorageCapacity", "VolumeAttributesClass":
			j.static()
		default:
			return false
		}
	case "resource.k8s.io":
		switch j.kind {
		case "ResourceClaim":
			j.resourceClaim()
		case "ResourceClaimTemplate", "ResourceSlice", "DeviceClass":
			j.static()
		default:
			return false
		}
	case "rbac.authorization.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "scheduling.k8s.io", "node.k8s.io", "events.k8s.io":
		if j.status.kind() != kindNone {
			return false
		}
		j.static()
	default:
		return false
	}
	return true
}

// staticRule is the rule of kinds without a status, which are Current from their creation on.
const staticRule = "builtin/static"

func (j *judgement) static() {
	j.v.Rule = staticRule
	j.conclude(Current, "Static", text("objects of this kind have no status"))
}

// conclude answers by the rule that is set, with fields of the status as evidence.
func (j *judgement) conclude(s Status, reason string, m message, fields ...string) {
	j.v.answer(s, FromBuiltin, j.v.Rule, reason, m)
	for _, field := range fields {
		j.proveStatus(field)
	}
}

// concludeBy answers with a condition.
func (j *judgement) concludeBy(s Status, c *Condition) {
	reason := c.Reason()
	if reason == "" {
		reason = c.Type
	}
	j.conclude(s, reason, c.text())
	j.v.restOn(c)
	j.v.proveCondition(c)
}

// concludeIfTrue answers with the first of several conditions that is True, and reports whether one is.
func (j *judgement) concludeIfTrue(s Status, types ...string) bool {
	var c Condition
	for _, typ := range types {
		if j.find(typ, &c) && c.Status == conditions.True {
			j.concludeBy(s, &c)
			return true
		}
	}
	return false
}

// lagging answers where the controller has not observed the current generation.
func (j *judgement) lagging() bool {
	if j.generation < 0 {
		return false
	}
	seen, ok := j.status.getNum("observedGeneration")
	switch {
	case ok && seen == j.generation:
		return false
	case !ok && j.status.present():
		return false // written by hand, or by a version that reported no generation
	case !ok:
		j.conclude(InProgress, "NoStatus", text("the controller has not looked at the object yet"))
		j.v.prove(fact{atPath, ".status", "", j.status})
		return true
	}
	j.behind(FromBuiltin, j.v.Rule, seen)
	return true
}

// behind is the answer for a status about another generation.
func (j *judgement) behind(c Confidence, rule string, seen int64) {
	m := message{format: generations, n1: j.generation, n2: seen}
	if impossibleGeneration(seen, j.generation) {
		j.concludeImpossible(impossible, "ImpossibleGeneration", m)
	} else {
		j.v.answer(InProgress, c, rule, "GenerationNotObserved", m)
	}
	j.proveStatus("observedGeneration")
	j.v.prove(fact{atPath, ".metadata.generation", "", j.meta.get("generation")})
}

// count returns a number of the status, 0 where it is absent.
func (j *judgement) count(field string) int64 { return j.status.get(field).numOr(0) }

// fewer answers InProgress where a number of the status is lower than the wanted one.
func (j *judgement) fewer(reason, field, what string, have, want int64) bool {
	if have >= want {
		return false
	}
	j.conclude(InProgress, reason, message{format: counted, s1: what, n1: have, n2: want}, field)
	return true
}
