// SPDX-License-Identifier: Apache-2.0

// Command argocd-health is the example of a reader that embeds the verdict engine in another tool: a health check for Argo CD, which knows
// six words of its own.
//
//	kubectl get deployment web -o json | argocd-health
//	{"status":"Progressing","message":"1 of 3 replicas available"}
//
//	kubectl get lamp desk -o json | argocd-health lamps.yaml
//	{"status":"Suspended","message":"the switch is off"}
//
// [Health] is all that an embedding needs: one engine, made once and shared, and a table from the verdict's words to those of the tool. In Go
// Argo CD takes it as a health.HealthOverride of github.com/argoproj/gitops-engine; as a command it reads one object and prints the answer.
// [NewEngine] makes the engine of catalogs: the files that are named, then those that come with Tristate, then its rule packs. Kinds of the
// API server and the conventions of conditions need none. The engine has no client, allocates nothing and never panics, so that it may
// run in the loop of the tool.
package main
