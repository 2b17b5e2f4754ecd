// SPDX-License-Identifier: Apache-2.0

// Package infer drafts catalogs from CustomResourceDefinitions, objects, and a scan of Go code.
//
//	d := infer.New(infer.Options{Kinds: []string{"Widget"}, Group: "example.com"})
//	d.Object(content)
//	yaml, err := d.YAML()
//
// Rules:
//
//   - A draft has only names that were found. A guess (a polarity, a status, a class) has a comment with its source.
//   - Input that could not be used is listed, with its place, in a comment at the head.
//   - The same input leads to the same draft. Kinds, types and reasons come in the order in which they were found.
//   - A draft has at most 500 kinds, 200 types a kind and 1000 reasons a type. Input beyond a limit is listed as not used.
//
// A draft is read by a person before it is used. It need not compile: a status of a type that no reason goes with is
// left as it was found, so that a check can find it.
package infer
