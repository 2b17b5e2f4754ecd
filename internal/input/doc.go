// SPDX-License-Identifier: Apache-2.0

// Package input reads Kubernetes objects from what people have at hand: files, folders and standard input, with the output of
// kubectl get -o yaml or json, manifests, rendered charts, must-gather folders, one object or many.
//
// Rules:
//
//   - A file holds YAML documents, JSON values one after the other, or both; in UTF-8 or UTF-16, and compressed by gzip or not.
//   - A list (a kind that ends in List, without a name, with items) is read as its items. Items without a kind have that of the list.
//   - In a folder every file is read whose name ends in .yaml, .yml or .json, also with .gz, at any depth. A document there that is no object (a values
//     file, a chart, a report) is skipped; in a file that was named it is an error.
//   - An object without a name, as fixtures and templates with generateName are, is named after its place: web-(pods.yaml:3).
//   - A repeated key of a map is an error. A compressed file may hold half a gigabyte.
//   - Whole numbers are int64 and others float64, as an API client decodes them.
//   - One bad document does not affect the others: every error has its file and line, and everything else is read. If a JSON list is cut off,
//     the items before the cut are read.
package input
