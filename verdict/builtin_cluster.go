// SPDX-License-Identifier: Apache-2.0

package verdict

// node judges a Node: pressure is an impairment, cordoned is off on purpose.
func (j *judge) node() {
	const rule = "builtin/Node"
	var c cond
	if !j.find("Ready", &c) {
		j.answer(InProgress, FromBuiltin, rule, "NotReported", text("the kubelet has not reported yet"))
		j.prove(atPath, ".status.conditions", "", j.status.get("conditions"))
		return
	}
	if c.status != isTrueWord {
		j.byCond(Failed, rule, &c)
		return
	}
	ready := c
	for _, typ := range [...]string{"NetworkUnavailable", "MemoryPressure", "DiskPressure", "PIDPressure"} {
		if j.find(typ, &c) && c.status == isTrueWord {
			j.byCond(Degraded, rule, &c)
			return
		}
	}
	if j.spec.get("unschedulable").isTrue() {
		j.answer(Suspended, FromBuiltin, rule, "Cordoned", text("the node takes no new pods"))
		j.proveSpec("unschedulable")
		j.v.Ready = true
		return
	}
	j.byCond(Current, rule, &ready)
}

const namespaceRule = "builtin/Namespace"

// namespace judges a Namespace. Deletion comes first in every judgement, so Terminating here is a phase without a
// timestamp, as in a file that was edited.
func (j *judge) namespace() {
	const rule = namespaceRule
	if j.status.get("phase").str() == "Terminating" {
		j.answer(Terminating, FromBuiltin, rule, "Deleting", text("the namespace is being emptied"))
		j.v.Ready = false
		j.proveStatus("phase")
		j.namespaceLeft()
		return
	}
	j.answer(Current, FromBuiltin, rule, "Active", text("the namespace is active"))
	j.proveStatus("phase")
}

// namespaceLeft says what keeps a namespace that is being deleted.
func (j *judge) namespaceLeft() {
	var c cond
	for _, typ := range [...]string{
		"NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure", "NamespaceDeletionContentFailure",
		"NamespaceFinalizersRemaining", "NamespaceContentRemaining",
	} {
		if !j.find(typ, &c) || c.status != isTrueWord {
			continue
		}
		j.v.message = c.text()
		if r := c.reason(); r != "" {
			j.v.Reason = r
		}
		j.prove(atCondition, c.typ, "status", c.n.get("status"))
		return
	}
}

// definition judges a CustomResourceDefinition.
func (j *judge) definition() {
	const rule = "builtin/CustomResourceDefinition"
	var c cond
	switch {
	case j.find("Terminating", &c) && c.status == isTrueWord:
		j.byCond(InProgress, rule, &c)
	case j.find("NamesAccepted", &c) && c.status == isFalseWord:
		j.byCond(Failed, rule, &c)
	case j.find("Established", &c) && c.status == isFalseWord && c.reason() != "Installing":
		j.byCond(Failed, rule, &c)
	case !j.find("Established", &c):
		j.answer(InProgress, FromBuiltin, rule, "Installing", text("the definition is not established yet"))
		j.prove(atPath, ".status.conditions", "", j.status.get("conditions"))
	case c.status != isTrueWord:
		j.byCond(InProgress, rule, &c)
	default:
		established := c
		for _, typ := range [...]string{"NonStructuralSchema", "KubernetesAPIApprovalPolicyConformant"} {
			if j.find(typ, &c) && (c.status == isTrueWord) == (typ == "NonStructuralSchema") && c.status != isUnknownWord {
				j.byCond(Degraded, rule, &c)
				return
			}
		}
		j.byCond(Current, rule, &established)
	}
}

// apiService: an API server that is not there yet may come; one that answers wrongly needs help.
func (j *judge) apiService() {
	const rule = "builtin/APIService"
	var c cond
	if !j.find("Available", &c) {
		j.answer(InProgress, FromBuiltin, rule, "NotReported", text("availability was not checked yet"))
		j.prove(atPath, ".status.conditions", "", j.status.get("conditions"))
		return
	}
	if c.status == isTrueWord {
		j.byCond(Current, rule, &c)
		return
	}
	s := InProgress
	if c.reason() == "FailedDiscoveryCheck" || c.reason() == "ServiceAccessError" {
		s = Failed
	}
	j.byCond(s, rule, &c)
}

// signingRequest judges a CertificateSigningRequest.
func (j *judge) signingRequest() {
	const rule = "builtin/CertificateSigningRequest"
	var c cond
	switch {
	case j.find("Failed", &c) && c.status == isTrueWord, j.find("Denied", &c) && c.status == isTrueWord:
		j.byCond(Failed, rule, &c)
	case j.status.get("certificate").present():
		j.answer(Current, FromBuiltin, rule, "Issued", text("the certificate is issued"))
		j.prove(atPath, ".status.certificate", "", node{})
	case j.find("Approved", &c) && c.status == isTrueWord:
		j.answer(InProgress, FromBuiltin, rule, "Approved", text("approved, the certificate is not issued yet"))
		j.proveCondition(&c)
	default:
		j.answer(InProgress, FromBuiltin, rule, "Pending", text("waits for approval"))
		j.prove(atPath, ".status.conditions", "", j.status.get("conditions"))
	}
}

// quota judges a ResourceQuota: a quota that is used up does what it is there for.
func (j *judge) quota() {
	const rule = "builtin/ResourceQuota"
	if j.status.get("hard").size() == 0 && j.spec.get("hard").size() > 0 {
		j.answer(InProgress, FromBuiltin, rule, "NotCounted", text("usage was not counted yet"))
	} else {
		j.answer(Current, FromBuiltin, rule, "Counted", text("usage is counted"))
	}
	j.prove(atPath, ".status.hard", "", j.status.get("hard"))
}

// migration judges a StorageVersionMigration.
func (j *judge) migration() {
	const rule = "builtin/StorageVersionMigration"
	var c cond
	switch {
	case j.find("Failed", &c) && c.status == isTrueWord:
		j.byCond(Failed, rule, &c)
	case j.find("Succeeded", &c) && c.status == isTrueWord:
		j.byCond(Current, rule, &c)
	case j.find("Running", &c) && c.status == isTrueWord:
		j.byCond(InProgress, rule, &c)
	default:
		j.answer(InProgress, FromBuiltin, rule, "NotStarted", text("the migration has not started"))
		j.prove(atPath, ".status.conditions", "", j.status.get("conditions"))
	}
}

// admissionPolicy: warnings of the type checker are an impairment.
func (j *judge) admissionPolicy() {
	const rule = "builtin/ValidatingAdmissionPolicy"
	if j.lagging(rule) {
		return
	}
	if w := j.status.get2("typeChecking", "expressionWarnings"); w.size() > 0 {
		j.answer(Degraded, FromBuiltin, rule, "TypeWarnings", message{wording: counted, s1: "expressions", n1: int64(w.size()), n2: int64(w.size())})
		j.v.message = text("expressions do not fit the types they are matched with")
		j.prove(atStatus, "typeChecking", "expressionWarnings", w)
		return
	}
	j.answer(Current, FromBuiltin, rule, "Accepted", text("the policy is in force"))
}

// budget judges a PodDisruptionBudget. Too few pods to disrupt is what a budget is there to say, and no failure; a
// budget that cannot be computed protects nothing.
func (j *judge) budget() {
	const rule = "builtin/PodDisruptionBudget"
	if j.status.size() == 0 {
		j.answer(InProgress, FromBuiltin, rule, "NoStatus", text("the budget was not computed yet"))
		j.prove(atPath, ".status", "", j.status)
		return
	}
	it := j.status.get("conditions").items()
	for n := (node{}); it.more(&n); {
		var c cond
		if readCondition(n, &c) && c.typ == "DisruptionAllowed" && c.status == isFalseWord && c.reason() == "SyncFailed" {
			j.byCond(Failed, rule, &c)
			return
		}
	}
	if j.lagging(rule) {
		return
	}
	j.answer(Current, FromBuiltin, rule, "Computed", message{wording: counted, s1: "desired pods are healthy", n1: j.count("currentHealthy"), n2: j.count("desiredHealthy")})
	j.proveStatus("disruptionsAllowed")
	j.proveStatus("currentHealthy")
}
