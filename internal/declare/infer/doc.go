// SPDX-License-Identifier: Apache-2.0

// Package infer drafts catalogs from existing material: tables and examples in Markdown, CustomResourceDefinitions, objects, and Go code:
// constants, literals, and what a scan of a module finds.
//
//	d := infer.New(infer.Options{Kinds: []string{"Widget"}, Group: "example.com"})
//	d.Markdown("conditions.md", text)
//	yaml, err := d.YAML()
//
// Rules:
//
//   - A draft has only names that were found. A guess (a polarity, a status, a class) has a comment with its source.
//   - Input that could not be used is listed, with its place, in a comment at the head.
//   - The same input leads to the same draft. Kinds, types and reasons come in the order in which they were found.
//   - Input is bounded: a file has at most 16 MiB, and a draft at most 500 kinds, 200 types a kind and 1000 reasons a type. What exceeds a
//     limit is an error or one of the things that could not be used.
//
// A draft is read by a person before it is used. It need not compile: a status of a type that no reason goes with is left as it was
// found, so that a check can find it.
package infer
