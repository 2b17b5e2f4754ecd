// SPDX-License-Identifier: Apache-2.0

// Package rows keeps a row for each object of some sources: clusters, files or a story. Rows answer what a page and metrics ask: windows,
// counts, causes, trees, and what changed. It knows no HTTP.
//
//	fleet := rows.New(time.Now)
//	source := fleet.Add(rows.Options{Graph: graph, Judge: judge})
//	source.Sync(objects)
//	window := fleet.Window(rows.Query{Unhealthy: true}, everything)
//
// # Rules
//
//  1. A row never changes: it is replaced, and the journal has both. Every change raises the sequence; an epoch is one fleet in one
//     process.
//  2. What a reader may not see is decided by a function per kind and namespace. It takes part in no count, and a cause of such a kind has
//     no name.
//  3. A source judges only objects that changed, whose children that count did, and whose time has come.
//  4. A light source keeps packed only the objects that verdicts of others need, and has no trees and causes; another one keeps all that
//     trees reach.
//  5. Causes are those of package relation; equal causes of several hierarchies are joined.
package rows
