// SPDX-License-Identifier: Apache-2.0

package verdict

import "github.com/tristate/tristate/conditions"

// clusterNode judges a Node: pressure is an impairment, and a cordoned node is off on purpose.
func (j *judgement) clusterNode() {
	j.v.Rule = "builtin/Node"
	var ready Condition
	switch {
	case !j.find("Ready", &ready):
		j.conclude(InProgress, "NotReported", text("the kubelet has not reported yet"), "conditions")
	case ready.Status != conditions.True:
		j.concludeBy(Failed, &ready)
	case j.concludeIfTrue(Degraded, "NetworkUnavailable", "MemoryPressure", "DiskPressure", "PIDPressure"):
	case j.spec.get("unschedulable").isTrue():
		j.conclude(Suspended, "Cordoned", text("the node takes no new pods"))
		j.proveSpec("unschedulable")
		j.v.Ready = true
	default:
		j.concludeBy(Current, &ready)
	}
}

const namespaceRule = "builtin/Namespace"

// namespace judges a Namespace. Deletion comes first in every judgement, so Terminating here is a phase without a timestamp, as in a file
// that was edited.
func (j *judgement) namespace() {
	j.v.Rule = namespaceRule
	if j.status.getStr("phase") != "Terminating" {
		j.conclude(Current, "Active", text("the namespace is active"), "phase")
		return
	}
	j.conclude(Terminating, "Deleting", text("the namespace is being emptied"), "phase")
	j.v.Ready = false
	j.namespaceRemains()
}

// namespaceRemains adds why a namespace that is being deleted still exists.
func (j *judgement) namespaceRemains() {
	var c Condition
	for _, typ := range [...]string{
		"NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure", "NamespaceDeletionContentFailure",
		"NamespaceFinalizersRemaining", "NamespaceContentRemaining",
	} {
		if !j.find(typ, &c) || c.Status != conditions.True {
			continue
		}
		j.v.message = c.text()
		if r := c.Reason(); r != "" {
			j.v.Reason = r
		}
		j.v.prove(fact{atCondition, c.Type, "status", c.n.get("status")})
		return
	}
}

// definition judges a CustomResourceDefinition.
func (j *judgement) definition() {
	j.v.Rule = "builtin/CustomResourceDefinition"
	var is [4]Condition
	j.findAll(is[:], "NamesAccepted", "Established", "NonStructuralSchema", "KubernetesAPIApprovalPolicyConformant")
	names, established, schema, approval := &is[0], &is[1], &is[2], &is[3]
	switch {
	case j.concludeIfTrue(InProgress, "Terminating"):
	case names.Status == conditions.False:
		j.concludeBy(Failed, names)
	case established.Status == conditions.False && established.Reason() != "Installing":
		j.concludeBy(Failed, established)
	case established.Type == "":
		j.conclude(InProgress, "Installing", text("the definition is not established yet"), "conditions")
	case established.Status != conditions.True:
		j.concludeBy(InProgress, established)
	case schema.Status == conditions.True:
		j.concludeBy(Degraded, schema)
	case approval.Status == conditions.False:
		j.concludeBy(Degraded, approval)
	default:
		j.concludeBy(Current, established)
	}
}

// apiService judges an APIService: a server that is not there yet may come, and one that answers wrongly needs help.
func (j *judgement) apiService() {
	j.v.Rule = "builtin/APIService"
	var c Condition
	switch {
	case !j.find("Available", &c):
		j.conclude(InProgress, "NotReported", text("availability was not checked yet"), "conditions")
	case c.Status == conditions.True:
		j.concludeBy(Current, &c)
	case c.Reason() == "FailedDiscoveryCheck" || c.Reason() == "ServiceAccessError":
		j.concludeBy(Failed, &c)
	default:
		j.concludeBy(InProgress, &c)
	}
}

// signingRequest judges a CertificateSigningRequest.
func (j *judgement) signingRequest() {
	j.v.Rule = "builtin/CertificateSigningRequest"
	var c Condition
	switch {
	case j.concludeIfTrue(Failed, "Failed", "Denied"):
	case j.status.get("certificate").present():
		j.conclude(Current, "Issued", text("the certificate is issued"))
		j.v.prove(fact{atStatus, "certificate", "", Object{}})
	case j.find("Approved", &c) && c.Status == conditions.True:
		j.conclude(InProgress, "Approved", text("approved, the certificate is not issued yet"))
		j.v.proveCondition(&c)
	default:
		j.conclude(InProgress, "Pending", text("waits for approval"), "conditions")
	}
}

// quota judges a ResourceQuota: a quota that is used up does what it is there for.
func (j *judgement) quota() {
	j.v.Rule = "builtin/ResourceQuota"
	if j.status.get("hard").size() == 0 && j.spec.get("hard").size() > 0 {
		j.conclude(InProgress, "NotCounted", text("usage was not counted yet"), "hard")
	} else {
		j.conclude(Current, "Counted", text("usage is counted"), "hard")
	}
}

// migration judges a StorageVersionMigration.
func (j *judgement) migration() {
	j.v.Rule = "builtin/StorageVersionMigration"
	if !j.concludeIfTrue(Failed, "Failed") && !j.concludeIfTrue(Current, "Succeeded") && !j.concludeIfTrue(InProgress, "Running") {
		j.conclude(InProgress, "NotStarted", text("the migration has not started"), "conditions")
	}
}

// flowSchema judges a FlowSchema: it works unless its priority level is missing.
func (j *judgement) flowSchema() {
	j.v.Rule = "builtin/FlowSchema"
	if j.concludeIfTrue(Failed, "Dangling") {
		return
	}
	j.conclude(Current, "Fine", text("nothing speaks against it"))
	var c Condition
	if j.find("Dangling", &c) {
		j.v.proveCondition(&c)
	}
}

// admissionPolicy judges a ValidatingAdmissionPolicy: warnings of the type checker are an impairment.
func (j *judgement) admissionPolicy() {
	j.v.Rule = "builtin/ValidatingAdmissionPolicy"
	warnings := j.status.get2("typeChecking", "expressionWarnings")
	switch {
	case j.lagging():
	case warnings.size() > 0:
		j.conclude(Degraded, "TypeWarnings", text("expressions do not fit the types they are matched with"))
		j.v.prove(fact{atStatus, "typeChecking", "expressionWarnings", warnings})
	default:
		j.conclude(Current, "Accepted", text("the policy is in force"))
	}
}

// budget judges a PodDisruptionBudget. Too few pods to disrupt are no failure: a budget is there to report that. One that cannot be
// computed protects nothing.
func (j *judgement) budget() {
	j.v.Rule = "builtin/PodDisruptionBudget"
	if j.status.size() == 0 {
		j.conclude(InProgress, "NoStatus", text("the budget was not computed yet"))
		j.v.prove(fact{atPath, ".status", "", j.status})
		return
	}
	it := j.status.get("conditions").items()
	for n := (Object{}); it.more(&n); {
		var c Condition
		if readCondition(n, &c) && c.Type == "DisruptionAllowed" && c.Status == conditions.False && c.Reason() == "SyncFailed" {
			j.concludeBy(Failed, &c)
			return
		}
	}
	if j.lagging() {
		return
	}
	m := message{format: counted, s1: "desired pods are healthy", n1: j.count("currentHealthy"), n2: j.count("desiredHealthy")}
	j.conclude(Current, "Computed", m, "disruptionsAllowed", "currentHealthy")
}
