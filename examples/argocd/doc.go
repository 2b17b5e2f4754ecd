// SPDX-License-Identifier: Apache-2.0

// Command argocd-health is the example of a reader that embeds the verdict engine in another tool: a health check for Argo CD, which knows
// six words of its own.
//
//	kubectl get deployment web -o json | argocd-health
//	{"status":"Progressing","message":"1 of 3 replicas available"}
//
// [Health] is all that an embedding needs: one engine, made once and shared, and a table from the verdict's words to those of the tool. In Go
// Argo CD takes it as a health.HealthOverride of github.com/argoproj/gitops-engine; as a command it reads one object and prints the answer.
// The engine has no client, allocates nothing and never panics, so that it may run in the loop of the tool. Its zero value knows the kinds of
// the API server and the conventions of conditions; its fields add what is known of other kinds.
package main
