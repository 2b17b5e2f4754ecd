// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/convention"
	"github.com/tristate/tristate/verdict/internal/object"
)

// Kinds is a judgement with what the kinds of the API server need of the engine.
type Kinds struct {
	answer.Judgement
	Conventions *convention.Conventions
	// Grace is how long a pod may be unschedulable before it counts as failed; zero means one minute.
	Grace  time.Duration
	Recent *object.Limit // of restarts of containers
}

// Builtin judges the kinds of the API server, of any version, and reports false for others. Each kind sets its rule and then concludes.
//
// The catalogs of Kubernetes declare the conditions of these kinds for readers, and do not judge them: an engine without any catalog judges
// them too, the rules compare numbers of the spec with those of the status and count them in the message, and they are most objects of a
// cluster, for which no expression is evaluated.
func (j *Kinds) Builtin() bool {
	switch j.Group {
	case "":
		return j.core()
	case "apps", "extensions":
		switch j.Kind {
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
		switch j.Kind {
		case "Job":
			j.job()
		case "CronJob":
			j.cronJob()
		default:
			return false
		}
	case "policy":
		switch j.Kind {
		case "PodDisruptionBudget":
			j.budget()
		case "PodSecurityPolicy":
			j.static()
		default:
			return false
		}
	case "autoscaling":
		if j.Kind != "HorizontalPodAutoscaler" {
			return false
		}
		j.autoscaler()
	case "networking.k8s.io":
		switch j.Kind {
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
func (j *Kinds) core() bool {
	switch j.Kind {
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
func (j *Kinds) controlPlane() bool {
	switch j.Group {
	case "apiextensions.k8s.io", "apiregistration.k8s.io", "storagemigration.k8s.io":
		switch j.Kind {
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
		switch j.Kind {
		case "CertificateSigningRequest":
			j.signingRequest()
		case "ClusterTrustBundle":
			j.static()
		default:
			return false
		}
	case "flowcontrol.apiserver.k8s.io":
		switch j.Kind {
		case "FlowSchema":
			j.flowSchema()
		case "PriorityLevelConfiguration":
			j.static()
		default:
			return false
		}
	case "admissionregistration.k8s.io":
		switch j.Kind {
		case "ValidatingAdmissionPolicy":
			j.admissionPolicy()
		case "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicyBinding",
			"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
			j.static()
		default:
			return false
		}
	case "storage.k8s.io":
		switch j.Kind {
		case "VolumeAttachment":
			j.attachment()
		case "StorageClass", "CSIDriver", "CSINode", "CSIStorageCapacity", "VolumeAttributesClass":
			j.static()
		default:
			return false
		}
	case "resource.k8s.io":
		switch j.Kind {
		case "ResourceClaim":
			j.resourceClaim()
		case "ResourceClaimTemplate", "ResourceSlice", "DeviceClass":
			j.static()
		default:
			return false
		}
	case "rbac.authorization.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "scheduling.k8s.io", "node.k8s.io", "events.k8s.io":
		if j.Status.Kind() != object.None {
			return false
		}
		j.static()
	default:
		return false
	}
	return true
}

// StaticRule is the rule of kinds without a status, which are Current from their creation on.
const StaticRule = "builtin/static"

func (j *Kinds) static() {
	j.Answer.Rule = StaticRule
	j.conclude(answer.Current, "Static", object.Text("objects of this kind have no status"))
}

// conclude answers by the rule that is set, with fields of the status as evidence.
func (j *Kinds) conclude(s answer.Status, reason string, m object.Message, fields ...string) {
	j.Answer.Set(s, answer.FromBuiltin, j.Answer.Rule, reason, m)
	for _, field := range fields {
		j.ProveStatus(field)
	}
}

// concludeBy answers with a condition.
func (j *Kinds) concludeBy(s answer.Status, c *object.Condition) {
	reason := c.Reason()
	if reason == "" {
		reason = c.Type
	}
	j.conclude(s, reason, c.Sentence())
	j.Answer.RestOn(c)
	j.Answer.ProveCondition(c)
}

// concludeIfTrue answers with the first of several conditions that is True, and reports whether one is.
func (j *Kinds) concludeIfTrue(s answer.Status, types ...string) bool {
	var c object.Condition
	for _, typ := range types {
		if j.Find(typ, &c) && c.Status == conditions.True {
			j.concludeBy(s, &c)
			return true
		}
	}
	return false
}

// lagging answers where the controller has not observed the current generation.
func (j *Kinds) lagging() bool {
	if j.Generation < 0 {
		return false
	}
	seen, ok := j.Status.NumberAt("observedGeneration")
	switch {
	case ok && seen == j.Generation:
		return false
	case !ok && j.Status.Present():
		return false // written by hand, or by a version that reported no generation
	case !ok:
		j.conclude(answer.InProgress, "NoStatus", object.Text("the controller has not looked at the object yet"))
		j.Answer.Prove(object.At(object.PathItself, ".status", "", j.Status))
		return true
	}
	j.Conventions.Behind(&j.Judgement, answer.FromBuiltin, j.Answer.Rule, seen)
	return true
}

// count returns a number of the status, 0 where it is absent.
func (j *Kinds) count(field string) int64 { return j.Status.Get(field).NumberOr(0) }

// fewer answers InProgress where a number of the status is lower than the wanted one.
func (j *Kinds) fewer(reason, field, what string, have, want int64) bool {
	if have >= want {
		return false
	}
	j.conclude(answer.InProgress, reason, object.Counted.Count(what, have, want), field)
	return true
}
