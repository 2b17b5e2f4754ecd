// SPDX-License-Identifier: Apache-2.0

// Package builtin judges the kinds of the API server, a function for each. They are judged by numbers, phases and times that are compared
// with the spec and named in the message; docs/verdict-rules.md has the conventions, which judge every other kind.
package builtin
