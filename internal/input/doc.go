// SPDX-License-Identifier: Apache-2.0

// Package input reads Kubernetes objects from what people have at hand: files, folders and standard input, with the output of
// kubectl get -o yaml or json, manifests, rendered charts, must-gather folders, one object or many.
//
// Rules:
//
//   - A file holds YAML documents, JSON values one after the other, or both; in UTF-8 or UTF-16, and compressed by gzip or not.
//   - A list (a kind that ends in List, without a name, with items) stands for its items. Items without a kind have that of the list.
//   - Of a folder every file below it is read that ends in .yaml, .yml or .json, also with .gz. A document that is no object there (a values file, a
//     chart, a report) is passed over; in a file that was named it is an error.
//   - An object without a name, as fixtures and templates with generateName are, is named after its place: web-(pods.yaml:3).
//   - A key that stands twice in a map is an error. A compressed file may hold half a gigabyte.
//   - Numbers are int64 where they are whole and float64 otherwise, as an API client decodes them.
//   - One bad document costs only itself: every error has its file and line, and everything else is read. Of a JSON list that is cut off
//     the items before the cut are read.
package input
