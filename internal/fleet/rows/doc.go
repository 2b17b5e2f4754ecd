// SPDX-License-Identifier: Apache-2.0

// Package rows keeps a row for each object of some sources: clusters, files or a story. Rows answer what a page and metrics ask: windows,
// counts, causes, trees, and what changed. It knows no HTTP.
//
//	fleet := rows.New(time.Now)
//	source := fleet.Add(rows.Options{Graph: graph, Judge: judge})
//	source.Sync(objects)
//	window := fleet.Window(rows.Query{Unhealthy: true}, "problems", 0, 100)
//
// # Rules
//
//  1. A row never changes: it is replaced, and the journal has both. Every change raises the sequence; an epoch is one fleet in one
//     process.
//  2. A reader with few rights has a fleet of its own: [Fleet.As]. It is made of the objects that the reader may list and of no other, so
//     that its verdicts, causes, texts, counts and sequence do not depend on the rest.
//  3. A source judges only objects that changed, whose children that count did, and whose time has come.
//  4. A light source keeps packed only the objects that verdicts of others need, and has no trees and causes; another one keeps all that
//     trees reach.
//  5. Causes are those of package relation; equal causes of several hierarchies are joined.
package rows
