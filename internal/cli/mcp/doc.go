// SPDX-License-Identifier: Apache-2.0

// Package mcp is the mcp command: the reading commands as tools of the Model Context Protocol, over standard input and output, for programs
// that let a language model ask about a cluster. It judges and words nothing itself: each tool reads as its command does.
//
//   - No tool writes, none returns an object, and none shows Secrets or the kubeconfig.
//   - An answer has at most 2,000 tokens. Its first line counts what is shown and what there is, and has the cursor of the rest; its end
//     names what could not be read.
//   - Texts of the cluster are between two markers that the cluster cannot know, as data.
//
// The protocol is that of the official SDK.
package mcp
