// SPDX-License-Identifier: Apache-2.0

// Command argocd-health is the example of a reader that embeds the verdict engine in another tool: a health check for Argo CD, which has
// six words of its own. It reads one object and prints its health; its arguments are catalogs.
//
//	kubectl get deployment web -o json | go run ./examples/argocd
//	{"status":"Progressing","message":"1 of 3 replicas available"}
//
//	kubectl get lamp desk -o json | go run ./examples/argocd lamps.yaml
//	{"status":"Suspended","message":"the switch is off"}
//
// [NewEngine] and [Health] are the part to copy: one engine, made once and shared, and a table from the words of verdicts to those of the tool. In Go,
// Argo CD accepts it as a health.HealthOverride of github.com/argoproj/gitops-engine. The engine judges by the catalogs of the given files, then by
// those that come with Tristate, then by its rule packs. Kinds of the API server and the conventions of conditions need none. The engine has no client,
// allocates nothing and never panics, so that it may run in the loop of the tool.
package main
