// SPDX-License-Identifier: Apache-2.0

// Package input reads Kubernetes objects from what people have at hand: files, folders and standard input, with the output of
// kubectl get -o yaml or json, manifests, rendered charts, must-gather folders, one object or many.
//
// Files are read as a stream: cut into documents and items of lists, which are decoded in parallel, built in order and handed over one
// by one. The memory is that of the largest object, not that of the file. Two cases are held until their end: a list whose items have no
// kind and that names it after them, and a list in YAML from an item on that cannot be cut out, as its quotes or brackets reach over the
// dash of the next one.
//
// Rules:
//
//   - A file holds YAML documents, JSON values one after the other, or both; in UTF-8 or UTF-16, and compressed by gzip or not.
//   - A list (a kind that ends in List, without a name, with items) is read as its items. Items without a kind have that of the list.
//   - In a folder every file is read whose name ends in .yaml, .yml or .json, also with .gz, at any depth. A document there that is no
//     object is skipped: it has neither apiVersion nor metadata (a values file, a report), or belongs to Helm or kustomize. One with
//     only a part of these is an error, as is any in a file that was named.
//   - An object without a name, as fixtures and templates with generateName are, is named after its place: web-(pods.yaml:3).
//   - A repeated key of a map is an error. A compressed file may hold 16 GiB.
//   - Whole numbers are int64 and others float64, as an API client decodes them.
//   - One bad document or item does not affect the others: every error has its file and line, and everything else is read. If a list is
//     cut off, or its syntax is broken, the items before that are read.
package input
