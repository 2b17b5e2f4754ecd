// SPDX-License-Identifier: Apache-2.0

// Package catalog loads catalogs, the declarations of conditions, for programs that embed Tristate.
//
//	set, err := catalog.Load(map[string][]byte{"catalog.yaml": declared})
//
//	pass := set.Kind(gk).Begin(generation, stored, now)                         // write conditions as declared: package conditions
//	v := catalog.Engine(set).Judge(object, now)                                 // judge objects by what is declared: package verdict
//	c, err := controller.New(controller.Options{Config: config, Catalogs: set}) // keep derived conditions: package controller
//
// The format is documented in docs/catalog-format.md. A catalog is a YAML document; several may stand in one file.
//
// # Rules
//
//  1. Loading is strict. Every mistake is reported at once as an [*Error] with file, line, column and a suggestion; an unknown key is one.
//  2. Valid catalogs are loaded in spite of the error, so that one invalid catalog does not stop the others.
//  3. A [Set] is read-only and may be used by many goroutines.
//
// The package knows no client and no clock. It does not check a catalog for style, which "tristate check" does, and it does not follow
// relations between objects, which package controller does.
package catalog
