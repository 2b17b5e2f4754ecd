// SPDX-License-Identifier: Apache-2.0

package verdict

// builtin judges the kinds of a standard API server, of any version, and reports false for others.
func (j *judge) builtin() bool {
	switch j.group {
	case "":
		return j.core()
	case "apps", "extensions":
		switch j.kind {
		case "Deployment":
			j.deployment()
			return true
		case "ReplicaSet":
			j.replicaSet("builtin/ReplicaSet")
			return true
		case "StatefulSet":
			j.statefulSet()
			return true
		case "DaemonSet":
			j.daemonSet()
			return true
		case "ControllerRevision", "PodSecurityPolicy", "NetworkPolicy":
			return j.static()
		case "Ingress":
			j.ingress()
			return true
		}
	case "batch":
		switch j.kind {
		case "Job":
			j.job()
			return true
		case "CronJob":
			j.cronJob()
			return true
		}
	case "policy":
		switch j.kind {
		case "PodDisruptionBudget":
			j.budget()
			return true
		case "PodSecurityPolicy":
			return j.static()
		}
	case "autoscaling":
		if j.kind == "HorizontalPodAutoscaler" {
			j.autoscaler()
			return true
		}
	case "networking.k8s.io":
		switch j.kind {
		case "Ingress":
			j.ingress()
			return true
		case "NetworkPolicy", "IngressClass", "IPAddress":
			return j.static()
		case "ServiceCIDR":
			j.byCondition("builtin/ServiceCIDR", "Ready", false)
			return true
		}
	case "gateway.networking.k8s.io", "gateway.networking.x-k8s.io":
		return j.gateway()
	default:
		return j.controlPlane()
	}
	return false
}

// core judges the kinds of the core group.
func (j *judge) core() bool {
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
		j.node()
	case "Namespace":
		j.namespace()
	case "ReplicationController":
		j.replicaSet("builtin/ReplicationController")
	case "ResourceQuota":
		j.quota()
	case "ConfigMap", "Secret", "ServiceAccount", "Endpoints", "LimitRange", "Event", "PodTemplate", "Binding", "ComponentStatus":
		return j.static()
	default:
		return false
	}
	return true
}

// controlPlane judges the kinds of the groups that serve the API server itself.
func (j *judge) controlPlane() bool {
	switch j.group {
	case "apiextensions.k8s.io":
		if j.kind == "CustomResourceDefinition" {
			j.definition()
			return true
		}
	case "apiregistration.k8s.io":
		if j.kind == "APIService" {
			j.apiService()
			return true
		}
	case "certificates.k8s.io":
		switch j.kind {
		case "CertificateSigningRequest":
			j.signingRequest()
			return true
		case "ClusterTrustBundle":
			return j.static()
		}
	case "flowcontrol.apiserver.k8s.io":
		switch j.kind {
		case "FlowSchema":
			j.byNegative("builtin/FlowSchema", "Dangling")
			return true
		case "PriorityLevelConfiguration":
			return j.static()
		}
	case "storagemigration.k8s.io":
		if j.kind == "StorageVersionMigration" {
			j.migration()
			return true
		}
	case "admissionregistration.k8s.io":
		switch j.kind {
		case "ValidatingAdmissionPolicy":
			j.admissionPolicy()
			return true
		case "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicyBinding",
			"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
			return j.static()
		}
	case "storage.k8s.io":
		switch j.kind {
		case "VolumeAttachment":
			j.attachment()
			return true
		case "StorageClass", "CSIDriver", "CSINode", "CSIStorageCapacity", "VolumeAttributesClass":
			return j.static()
		}
	case "resource.k8s.io":
		switch j.kind {
		case "ResourceClaim":
			j.resourceClaim()
			return true
		case "ResourceClaimTemplate", "ResourceSlice", "DeviceClass":
			return j.static()
		}
	case "rbac.authorization.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "scheduling.k8s.io", "node.k8s.io", "events.k8s.io":
		if j.status.kind() == kindNone {
			return j.static()
		}
	}
	return false
}

// staticRule is the rule of kinds without a status, which are Current since they were made.
const staticRule = "builtin/static"

// static is the answer for kinds without a status.
func (j *judge) static() bool {
	j.answer(Current, FromBuiltin, staticRule, "Static", text("objects of this kind have no status"))
	return true
}

// lagging answers where the controller has not seen the present generation.
func (j *judge) lagging(rule string) bool {
	if j.generation < 0 {
		return false
	}
	n := j.status.get("observedGeneration")
	seen, ok := n.num()
	if ok && seen == j.generation {
		return false
	}
	if !ok && j.status.present() {
		return false // written by hand, or by a version that reported no generation
	}
	if !ok {
		j.answer(InProgress, FromBuiltin, rule, "NoStatus", text("the controller has not looked at the object yet"))
		j.prove(atPath, ".status", "", j.status)
		return true
	}
	if impossibleGeneration(seen, j.generation) {
		j.nonsense(impossible, "ImpossibleGeneration", message{wording: generations, n1: j.generation, n2: seen})
	} else {
		j.answer(InProgress, FromBuiltin, rule, "GenerationNotObserved", message{wording: generations, n1: j.generation, n2: seen})
	}
	j.prove(atStatus, "observedGeneration", "", n)
	j.prove(atPath, ".metadata.generation", "", j.meta.get("generation"))
	return true
}

// count reads a number of the status, 0 where it is absent.
func (j *judge) count(field string) int64 { return j.status.get(field).numOr(0) }

// fewer answers InProgress where less is there than is wanted.
func (j *judge) fewer(rule, reason, field, what string, want int64) bool {
	have := j.count(field)
	if have >= want {
		return false
	}
	j.less(rule, reason, field, what, have, want)
	return true
}

// less answers InProgress: there are so many in a field of the status, and more are wanted.
func (j *judge) less(rule, reason, field, what string, have, want int64) {
	j.answer(InProgress, FromBuiltin, rule, reason, message{wording: counted, s1: what, n1: have, n2: want})
	j.proveStatus(field)
}

// byCondition answers for a kind with one positive condition; strict makes False a failure whatever its reason.
func (j *judge) byCondition(rule, typ string, strict bool) {
	var c cond
	if !j.find(typ, &c) {
		j.answer(InProgress, FromBuiltin, rule, "NotReported", text("no condition was reported yet"))
		j.prove(atPath, ".status.conditions", "", j.status.get("conditions"))
		return
	}
	status := Current
	switch c.status {
	case isFalseWord:
		status = InProgress
		if strict || j.words.senseOf(c.reason()) == senseBad {
			status = Failed
		}
	case isUnknownWord:
		status = InProgress
	}
	j.byCond(status, rule, &c)
}

// byCond answers with a condition.
func (j *judge) byCond(s Status, rule string, c *cond) {
	reason := c.reason()
	if reason == "" {
		reason = c.typ
	}
	j.answer(s, FromBuiltin, rule, reason, c.text())
	j.v.byCond(c)
	j.proveCondition(c)
}

// byNegative answers for a kind that serves unless a condition is True.
func (j *judge) byNegative(rule, typ string) {
	var c cond
	if j.find(typ, &c) && c.status == isTrueWord {
		j.byCond(Failed, rule, &c)
		return
	}
	j.answer(Current, FromBuiltin, rule, "Fine", text("nothing speaks against it"))
	if c.typ != "" {
		j.proveCondition(&c)
	}
}
