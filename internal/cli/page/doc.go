// SPDX-License-Identifier: Apache-2.0

// Package ui holds the page of `tristate ui` and `tristate serve --ui`, built. Its sources are in the folder page; `make page` builds them
// with Node into the folder dist, which is committed, so that Go alone builds the command.
//
// # Rules
//
//  1. Everything together is under 100 kB compressed, and nothing is loaded from elsewhere.
//  2. The page works under a Content-Security-Policy that forbids inline scripts and inline styles.
//  3. A file in assets may be cached for ever: its name holds a hash of its content.
//
// docs/page.md describes what the page shows and how a component is changed.
package ui
