// SPDX-License-Identifier: Apache-2.0

// Package grammar parses Rust, TypeScript, JavaScript and Python with the grammars of Tree-sitter.
//
//	p, err := grammar.New(ctx)
//	defer p.Close(ctx)
//	tree, err := p.Parse(ctx, grammar.Rust, text)
//
// The grammars and the parser that runs them are the WebAssembly builds that their authors publish, byte for byte (wasm/SOURCES.md has
// names, versions and checksums, tools/grammars.sh brings them). A WebAssembly runtime without C executes them: they see memory of their
// own and nothing else, no file, no clock, no network. A grammar is a dynamic library: link.go places its data and functions in the memory
// and the table of the parser, as the linker of Emscripten does.
//
// A file with syntax errors has a tree all the same; Tree.Broken reports it. Trees outlive the parser.
package grammar
