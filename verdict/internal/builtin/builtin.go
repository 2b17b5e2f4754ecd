// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/convention"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// Kinds is a judgement with what the kinds of the API server need of the engine.
type Kinds struct {
	answer.Judgement
	Conventions *convention.Conventions
	// Grace is how long a pod may be unschedulable before it counts as failed; zero means one minute.
	Grace time.Duration
}

// groupKind names a kind.
type groupKind struct{ group, kind string }

// Builtin judges the kinds of the API server, of any version, and reports false for others. Each kind sets its rule and then concludes.
//
// The catalogs of Kubernetes declare the conditions of these kinds for readers, and do not judge them: an engine without any catalog judges
// them too, the rules compare numbers of the spec with those of the status and count them in the message, and they are most objects of a
// cluster, for which no expression is evaluated.
func (j *Kinds) Builtin() bool {
	group := j.Group
	switch group {
	case "extensions": // where the kinds of apps come from
		group = "apps"
	case "gateway.networking.k8s.io", "gateway.networking.x-k8s.io":
		j.gateway()
		return true
	}
	if strings.IndexByte(group, '.') >= 0 {
		return strings.HasSuffix(group, ".k8s.io") && (j.controlPlane(groupKind{group, j.Kind}) || j.static(group))
	}
	switch (groupKind{group, j.Kind}) { // the most frequent first
	case groupKind{"", "Pod"}:
		j.pod()
	case groupKind{"apps", "Deployment"}:
		j.deployment()
	case groupKind{"apps", "ReplicaSet"}:
		j.replicaSet("builtin/ReplicaSet")
	case groupKind{"", "Service"}:
		j.service()
	case groupKind{"apps", "StatefulSet"}:
		j.statefulSet()
	case groupKind{"apps", "DaemonSet"}:
		j.daemonSet()
	case groupKind{"", "PersistentVolumeClaim"}:
		j.volumeClaim()
	case groupKind{"", "PersistentVolume"}:
		j.volume()
	case groupKind{"", "Node"}:
		j.clusterNode()
	case groupKind{"", "Namespace"}:
		j.namespace()
	case groupKind{"", "ReplicationController"}:
		j.replicaSet("builtin/ReplicationController")
	case groupKind{"", "ResourceQuota"}:
		j.quota()
	case groupKind{"apps", "Ingress"}:
		j.ingress()
	case groupKind{"batch", "Job"}:
		j.job()
	case groupKind{"batch", "CronJob"}:
		j.cronJob()
	case groupKind{"policy", "PodDisruptionBudget"}:
		j.budget()
	case groupKind{"autoscaling", "HorizontalPodAutoscaler"}:
		j.autoscaler()
	default:
		return j.static(group)
	}
	return true
}

// controlPlane judges the kinds of the groups below k8s.io, most of which serve the API server itself.
func (j *Kinds) controlPlane(kind groupKind) bool {
	switch kind {
	case groupKind{"networking.k8s.io", "Ingress"}:
		j.ingress()
	case groupKind{"networking.k8s.io", "ServiceCIDR"}:
		j.serviceCIDR()
	case groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}:
		j.definition()
	case groupKind{"apiregistration.k8s.io", "APIService"}:
		j.apiService()
	case groupKind{"storagemigration.k8s.io", "StorageVersionMigration"}:
		j.migration()
	case groupKind{"certificates.k8s.io", "CertificateSigningRequest"}:
		j.signingRequest()
	case groupKind{"flowcontrol.apiserver.k8s.io", "FlowSchema"}:
		j.flowSchema()
	case groupKind{"admissionregistration.k8s.io", "ValidatingAdmissionPolicy"}:
		j.admissionPolicy()
	case groupKind{"storage.k8s.io", "VolumeAttachment"}:
		j.attachment()
	case groupKind{"resource.k8s.io", "ResourceClaim"}:
		j.resourceClaim()
	default:
		return false
	}
	return true
}

// statics are the kinds without a status, by group; nil means all kinds whose objects have none.
var statics = map[string]map[string]bool{
	"":                             lexicon.SetOf("ConfigMap Secret ServiceAccount Endpoints LimitRange Event PodTemplate Binding ComponentStatus"),
	"apps":                         lexicon.SetOf("ControllerRevision PodSecurityPolicy NetworkPolicy"),
	"policy":                       lexicon.SetOf("PodSecurityPolicy"),
	"networking.k8s.io":            lexicon.SetOf("NetworkPolicy IngressClass IPAddress"),
	"certificates.k8s.io":          lexicon.SetOf("ClusterTrustBundle"),
	"flowcontrol.apiserver.k8s.io": lexicon.SetOf("PriorityLevelConfiguration"),
	"admissionregistration.k8s.io": lexicon.SetOf("MutatingAdmissionPolicy MutatingAdmissionPolicyBinding ValidatingAdmissionPolicyBinding " +
		"ValidatingWebhookConfiguration MutatingWebhookConfiguration"),
	"storage.k8s.io":            lexicon.SetOf("StorageClass CSIDriver CSINode CSIStorageCapacity VolumeAttributesClass"),
	"resource.k8s.io":           lexicon.SetOf("ResourceClaimTemplate ResourceSlice DeviceClass"),
	"rbac.authorization.k8s.io": nil, "coordination.k8s.io": nil, "discovery.k8s.io": nil, "scheduling.k8s.io": nil, "node.k8s.io": nil,
	"events.k8s.io": nil,
}

// StaticRule is the rule of kinds without a status, which are Current from their creation on.
const StaticRule = "builtin/static"

// static judges the kinds without a status.
func (j *Kinds) static(group string) bool {
	kinds, known := statics[group]
	if !known || kinds == nil && j.Status.Kind() != object.None || kinds != nil && !kinds[j.Kind] {
		return false
	}
	j.concludeStatic()
	return true
}

func (j *Kinds) concludeStatic() {
	j.Answer.Rule = StaticRule
	j.conclude(answer.Current, "Static", object.Text("objects of this kind have no status"))
}

// conclude answers by the rule that is set, with fields of the status as evidence.
func (j *Kinds) conclude(s answer.Status, reason string, m object.Message, fields ...string) {
	j.Answer.Set(s, j.Answer.Rule, reason, m)
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
	j.Conventions.Behind(&j.Judgement, j.Answer.Rule, seen)
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
