// SPDX-License-Identifier: Apache-2.0

// Package output prints lists of verdicts for machines, in the formats of kubectl and in those that need no parser.
//
//	print, err := output.NewPrinter("custom-columns=NAME:.object.name,VERDICT:.verdict", false)
//	err = print(os.Stdout, items)
//
// Every command that lists objects accepts the same [Formats]. A path (jsonpath) and a template (go-template) read the whole
// [render.VerdictList], whatever the number of objects; a custom column reads one [render.Item]. Tables for people are in package render.
package output
