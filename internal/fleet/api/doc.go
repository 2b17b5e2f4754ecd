// SPDX-License-Identifier: Apache-2.0

// Package api holds the types of the JSON that `tristate ui` and `tristate serve` answer with, and their JSON Schema, from which the types
// of the page are generated. An object has the shape of an item of `-o json` (render.Item), with an id and what a table needs in addition.
//
// # Rules
//
//  1. Every request is a GET. An answer is one object; an error is an [Error] with a status of HTTP that fits.
//  2. Times are RFC 3339 in UTC. A field that is absent is zero, empty or unknown.
//  3. Each answer that lists objects names what could not be read ([Row] counts never include it) and what the reader may not see, without
//     counting it.
//  4. Fields are added; none is renamed, removed or given another meaning within v1.
package api
