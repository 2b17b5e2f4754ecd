// SPDX-License-Identifier: Apache-2.0

// Package evidence is the input of checks: catalogs, definitions, sources, documents, objects, observations over time, and the products of
// a vocabulary. It reads files; the checks do not.
//
// Rules:
//
//   - [Read] recognises files by their content: documents of kind ConditionCatalog, CustomResourceDefinition, CheckExceptions, rule groups
//     of Prometheus, configuration of kube-state-metrics, Markdown, Lua health scripts, and otherwise Kubernetes objects.
//   - Reading is bounded: a file of YAML has at most 16 MiB a document, aliases are not multiplied, and an input over a limit is reported
//     with its place.
//   - Unreadable input is data too ([Evidence.Unreadable]), and so is an input that holds nothing ([Evidence.Empty]): checks report both.
//
// It decides nothing.
//
//	e := evidence.New()
//	e.Read([]string{"catalogs", "crds"}, nil)
//	e.Join(embedded)
package evidence
