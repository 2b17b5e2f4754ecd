// SPDX-License-Identifier: Apache-2.0

// Package mcp counts the tokens of answers of tristate mcp with the tokenizers of language models, which are large. It has tests only.
package mcp
