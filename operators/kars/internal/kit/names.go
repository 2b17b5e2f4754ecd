// SPDX-License-Identifier: Apache-2.0

package kit

// Manager is the field manager of everything that the operator writes.
const Manager = "kars-operator"

// Domain is that of the annotations of children.
const Domain = "kars.azure.com"

// Labels and annotations of children.
const (
	LabelSandbox      = "kars.azure.com/sandbox"
	LabelSandboxOwner = "kars.azure.com/sandbox-namespace"
	LabelAgent        = "kars.azure.com/agent"
	LabelEval         = "kars.azure.com/eval"
	AnnotationDigest  = "kars.azure.com/digest"
)
