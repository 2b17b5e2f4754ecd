// SPDX-License-Identifier: Apache-2.0

package grammar

import (
	"errors"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// linker is a module that only passes on: the functions, the memory, the table and the globals that another module imports under one name.
type linker struct {
	functions []imported
	memory    string // module to import it from; empty if the module defines it
	table     string
	pages     uint32 // of the memory
	entries   uint32 // of the table
	globals   []global
}

// imported is a function: the module and the name that it has there, and its type.
type imported struct {
	from, name string
	params     []api.ValueType
	results    []api.ValueType
}

// global is a 32 bit integer.
type global struct {
	name    string
	mutable bool
	value   uint32
}

// The names of what all modules share.
const (
	memoryName = "memory"
	tableName  = "__indirect_function_table"
)

// encode returns the module in the binary format of WebAssembly 1.0.
func (l linker) encode() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, items [][]byte) {
		if len(items) == 0 {
			return
		}
		body := number(uint32(len(items)))
		body = append(body, slices.Concat(items...)...)
		out = append(append(append(out, id), number(uint32(len(body)))...), body...)
	}
	var types, imports, globals, exports [][]byte
	export := func(name string, kind byte, index int) {
		exports = append(exports, slices.Concat(text(name), []byte{kind}, number(uint32(index))))
	}
	for i, f := range l.functions {
		types = append(types, slices.Concat([]byte{0x60}, text(string(f.params)), text(string(f.results))))
		imports = append(imports, slices.Concat(text(f.from), text(f.name), []byte{0}, number(uint32(i))))
		export(f.name, 0, i)
	}
	table := slices.Concat([]byte{0x70, 0}, number(l.entries))
	memory := slices.Concat([]byte{0}, number(l.pages))
	var tables, memories [][]byte
	if l.table != "" {
		imports = append(imports, slices.Concat(text(l.table), text(tableName), []byte{1}, table))
	} else if l.entries > 0 {
		tables = append(tables, table)
	}
	if l.memory != "" {
		imports = append(imports, slices.Concat(text(l.memory), text(memoryName), []byte{2}, memory))
	} else if l.pages > 0 {
		memories = append(memories, memory)
	}
	if l.entries > 0 {
		export(tableName, 1, 0)
		export(memoryName, 2, 0)
	}
	for i, g := range l.globals {
		mutable := byte(0)
		if g.mutable {
			mutable = 1
		}
		globals = append(globals, slices.Concat([]byte{0x7f, mutable, 0x41}, signed(int32(g.value)), []byte{0x0b}))
		export(g.name, 3, i)
	}
	section(1, types)
	section(2, imports)
	section(4, tables)
	section(5, memories)
	section(6, globals)
	section(7, exports)
	return out
}

func text(s string) []byte { return append(number(uint32(len(s))), s...) }

// number encodes an unsigned integer (LEB128).
func number(n uint32) []byte {
	var out []byte
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

// signed encodes a signed integer (LEB128).
func signed(n int32) []byte {
	var out []byte
	for ; n < -64 || n > 63; n >>= 7 {
		out = append(out, byte(n&0x7f)|0x80)
	}
	return append(out, byte(n&0x7f))
}

// needs returns the functions that a module imports under a name.
func needs(module wazero.CompiledModule, under, from string) []imported {
	var out []imported
	for _, f := range module.ImportedFunctions() {
		if in, name, _ := f.Import(); in == under {
			out = append(out, imported{from: from, name: name, params: f.ParamTypes(), results: f.ResultTypes()})
		}
	}
	return out
}

// space is what a dynamic library asks for: bytes of memory, their alignment as a power of two, and entries of the table.
type space struct{ memory, align, table uint32 }

var errNoLibrary = errors.New("not a dynamic library of WebAssembly")

// spaceOf reads the section dylink.0, which is the first of a dynamic library.
func spaceOf(binary []byte) (space, error) {
	var at int
	next := func() (n uint32) {
		for shift := 0; at < len(binary) && shift < 35; shift += 7 {
			b := binary[at]
			at++
			if n |= uint32(b&0x7f) << shift; b < 0x80 {
				break
			}
		}
		return n
	}
	const header = 8
	if len(binary) < header+2 || binary[header] != 0 {
		return space{}, errNoLibrary
	}
	at = header + 1
	next() // size of the section
	if n := int(next()); at+n > len(binary) || string(binary[at:at+n]) != "dylink.0" {
		return space{}, errNoLibrary
	} else if at += n; at >= len(binary) || binary[at] != 1 { // WASM_DYLINK_MEM_INFO
		return space{}, errNoLibrary
	}
	at++
	next() // size of the part
	s := space{memory: next(), align: next(), table: next()}
	return s, nil
}
