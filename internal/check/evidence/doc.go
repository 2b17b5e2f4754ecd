// SPDX-License-Identifier: Apache-2.0

// Package evidence is what checks look at: catalogs, definitions, sources, documents, objects, observations over time, and what was made of a
// vocabulary. It reads files; the checks do not.
//
// Rules:
//
//   - [Read] recognises files by their content: documents of kind ConditionCatalog, CustomResourceDefinition, CheckExceptions, rule groups of
//     Prometheus, configuration of kube-state-metrics, Markdown, Lua health scripts, and otherwise Kubernetes objects.
//   - Reading is bounded: a file of YAML has at most 16 MiB a document, aliases are not multiplied, and what exceeds a limit is reported
//     with its place.
//   - What cannot be read is data too ([Evidence.Unreadable]), and so is an input that holds nothing ([Evidence.Empty]): checks report both.
//
// It decides nothing.
//
//	e := evidence.New(time.Now())
//	e.Read([]string{"catalogs", "crds"}, nil)
//	e.Join(embedded)
package evidence
