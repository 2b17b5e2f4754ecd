// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/object"
)

// clusterNode judges a Node: pressure is an impairment, and a cordoned node is off on purpose.
func (j *Kinds) clusterNode() {
	j.Answer.Rule = "builtin/Node"
	var ready object.Condition
	switch {
	case !j.Find("Ready", &ready):
		j.conclude(answer.InProgress, "NotReported", object.Text("the kubelet has not reported yet"), "conditions")
	case ready.Status != conditions.True:
		j.concludeBy(answer.Failed, &ready)
	case j.concludeIfTrue(answer.Degraded, "NetworkUnavailable", "MemoryPressure", "DiskPressure", "PIDPressure"):
	case j.Spec.Get("unschedulable").IsTrue():
		j.conclude(answer.Suspended, "Cordoned", object.Text("the node takes no new pods"))
		j.ProveSpec("unschedulable")
		j.Answer.Ready = true
	default:
		j.concludeBy(answer.Current, &ready)
	}
}

// NamespaceRule is the rule of namespaces.
const NamespaceRule = "builtin/Namespace"

// namespace judges a Namespace. Deletion comes first in every judgement, so Terminating here is a phase without a timestamp, as in a file
// that was edited.
func (j *Kinds) namespace() {
	j.Answer.Rule = NamespaceRule
	if j.Status.TextAt("phase") != "Terminating" {
		j.conclude(answer.Current, "Active", object.Text("the namespace is active"), "phase")
		return
	}
	j.conclude(answer.Terminating, "Deleting", object.Text("the namespace is being emptied"), "phase")
	j.Answer.Ready = false
	NamespaceRemains(&j.Judgement)
}

// NamespaceRemains adds why a namespace that is being deleted still exists.
func NamespaceRemains(j *answer.Judgement) {
	var c object.Condition
	for _, typ := range [...]string{
		"NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure", "NamespaceDeletionContentFailure",
		"NamespaceFinalizersRemaining", "NamespaceContentRemaining",
	} {
		if !j.Find(typ, &c) || c.Status != conditions.True {
			continue
		}
		j.Answer.Message = c.Sentence().String()
		if r := c.Reason(); r != "" {
			j.Answer.Reason = r
		}
		j.Answer.Prove(object.OfCondition(c.Type, "status", c.N.Get("status")))
		return
	}
}

// definition judges a CustomResourceDefinition.
func (j *Kinds) definition() {
	j.Answer.Rule = "builtin/CustomResourceDefinition"
	var is [4]object.Condition
	j.FindAll(is[:], "NamesAccepted", "Established", "NonStructuralSchema", "KubernetesAPIApprovalPolicyConformant")
	names, established, schema, approval := &is[0], &is[1], &is[2], &is[3]
	switch {
	case j.concludeIfTrue(answer.InProgress, "Terminating"):
	case names.Status == conditions.False:
		j.concludeBy(answer.Failed, names)
	case established.Status == conditions.False && established.Reason() != "Installing":
		j.concludeBy(answer.Failed, established)
	case established.Type == "":
		j.conclude(answer.InProgress, "Installing", object.Text("the definition is not established yet"), "conditions")
	case established.Status != conditions.True:
		j.concludeBy(answer.InProgress, established)
	case schema.Status == conditions.True:
		j.concludeBy(answer.Degraded, schema)
	case approval.Status == conditions.False && approval.Reason() != "UnapprovedAnnotation": // that is on purpose
		j.concludeBy(answer.Degraded, approval)
	default:
		j.concludeBy(answer.Current, established)
	}
}

// apiService judges an APIService: a server that is not there yet may come, and one that answers wrongly needs help.
func (j *Kinds) apiService() {
	j.Answer.Rule = "builtin/APIService"
	var c object.Condition
	switch {
	case !j.Find("Available", &c):
		j.conclude(answer.InProgress, "NotReported", object.Text("availability was not checked yet"), "conditions")
	case c.Status == conditions.True:
		j.concludeBy(answer.Current, &c)
	case c.Reason() == "FailedDiscoveryCheck" || c.Reason() == "ServiceAccessError":
		j.concludeBy(answer.Failed, &c)
	default:
		j.concludeBy(answer.InProgress, &c)
	}
}

// signingRequest judges a CertificateSigningRequest.
func (j *Kinds) signingRequest() {
	j.Answer.Rule = "builtin/CertificateSigningRequest"
	var c object.Condition
	switch {
	case j.concludeIfTrue(answer.Failed, "Failed", "Denied"):
	case j.Status.Get("certificate").Present():
		j.conclude(answer.Current, "Issued", object.Text("the certificate is issued"))
		j.Answer.Prove(object.InStatus("certificate", "", object.Value{}))
	case j.Find("Approved", &c) && c.Status == conditions.True:
		j.conclude(answer.InProgress, "Approved", object.Text("approved, the certificate is not issued yet"))
		j.Answer.ProveCondition(&c)
	default:
		j.conclude(answer.InProgress, "Pending", object.Text("waits for approval"), "conditions")
	}
}

// quota judges a ResourceQuota: a quota that is used up does what it is there for.
func (j *Kinds) quota() {
	j.Answer.Rule = "builtin/ResourceQuota"
	if j.Status.Get("hard").Size() == 0 && j.Spec.Get("hard").Size() > 0 {
		j.conclude(answer.InProgress, "NotCounted", object.Text("usage was not counted yet"), "hard")
	} else {
		j.conclude(answer.Current, "Counted", object.Text("usage is counted"), "hard")
	}
}

// migration judges a StorageVersionMigration.
func (j *Kinds) migration() {
	j.Answer.Rule = "builtin/StorageVersionMigration"
	if !j.concludeIfTrue(answer.Failed, "Failed") && !j.concludeIfTrue(answer.Current, "Succeeded") && !j.concludeIfTrue(answer.InProgress, "Running") {
		j.conclude(answer.InProgress, "NotStarted", object.Text("the migration has not started"), "conditions")
	}
}

// flowSchema judges a FlowSchema: it works unless its priority level is missing.
func (j *Kinds) flowSchema() {
	j.Answer.Rule = "builtin/FlowSchema"
	if j.concludeIfTrue(answer.Failed, "Dangling") {
		return
	}
	j.conclude(answer.Current, "Fine", object.Text("nothing speaks against it"))
	var c object.Condition
	if j.Find("Dangling", &c) {
		j.Answer.ProveCondition(&c)
	}
}

// admissionPolicy judges a ValidatingAdmissionPolicy: warnings of the type checker are an impairment.
func (j *Kinds) admissionPolicy() {
	j.Answer.Rule = "builtin/ValidatingAdmissionPolicy"
	warnings := j.Status.Get2("typeChecking", "expressionWarnings")
	switch {
	case j.lagging():
	case warnings.Size() > 0:
		j.conclude(answer.Degraded, "TypeWarnings", object.Text("expressions do not fit the types they are matched with"))
		j.Answer.Prove(object.InStatus("typeChecking", "expressionWarnings", warnings))
	default:
		j.conclude(answer.Current, "Accepted", object.Text("the policy is in force"))
	}
}

// budget judges a PodDisruptionBudget. Too few pods to disrupt are no failure: a budget is there to report that. One that cannot be
// computed protects nothing.
func (j *Kinds) budget() {
	j.Answer.Rule = "builtin/PodDisruptionBudget"
	if j.Status.Size() == 0 {
		j.conclude(answer.InProgress, "NoStatus", object.Text("the budget was not computed yet"))
		j.Answer.Prove(object.At(object.PathItself, ".status", "", j.Status))
		return
	}
	for n := range j.Status.Get("conditions").Items() {
		var c object.Condition
		if object.ReadCondition(n, &c) && c.Type == "DisruptionAllowed" && c.Status == conditions.False && c.Reason() == "SyncFailed" {
			j.concludeBy(answer.Failed, &c)
			return
		}
	}
	if j.lagging() {
		return
	}
	m := object.Counted.Count("desired pods are healthy", j.count("currentHealthy"), j.count("desiredHealthy"))
	j.conclude(answer.Current, "Computed", m, "disruptionsAllowed", "currentHealthy")
}
