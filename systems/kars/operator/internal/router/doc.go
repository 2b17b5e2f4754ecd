// SPDX-License-Identifier: Apache-2.0

// Package router is the process next to the runtime of each sandbox: it loads the artifacts that the operator publishes, enforces them, and
// reports the artifacts that it enforces.
//
// Artifacts are files below a root, as ConfigMaps appear in a container: symbolic links that are replaced at once. They are looked at every
// few seconds. One that cannot be read leaves the last good one in force, and the error is reported with its digest.
//
//	tools/agt-profile.yaml            AgtProfile       which tools may be called
//	inference/inference-policy.json   InferencePolicy  tokens of a request: prompt and answer
//	memory/binding.json               Memory           the store of the memories
//	a2a/agent.json                    AgentCard        the agent that outbound calls name
//	egress/allowlist.json             EgressAllowlist  destinations
//	approvals/approval-*.json         EgressApproval   grants, merged with the list
//
// It serves
//
//	/internal/policy-status   the artifacts that are enforced, with a bearer token (root/token/token)
//	/internal/scores          how the decisions went, with the token; for audit only
//	/internal/evaluate        the decision about a scenario; for evaluations
//	/v1/...                   model calls within the budget, forwarded; for the runtime
//	/memory/...               calls to the memory store; for the runtime
//
// and, on another port, an HTTP proxy that lets CONNECT through to allowed destinations.
//
// A call of the runtime comes from the loopback address, which the containers of a pod share; others are refused.
package router
