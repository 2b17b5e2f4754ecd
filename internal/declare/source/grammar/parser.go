// SPDX-License-Identifier: Apache-2.0

package grammar

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

//go:embed wasm/*.gz
var builds embed.FS

// Language is a grammar.
type Language string

// The languages. JavaScript is read as TSX, of which it is a part.
const (
	Rust       Language = "rust"
	Python     Language = "python"
	TypeScript Language = "typescript"
	TSX        Language = "tsx"
)

// Limits of the machine.
const (
	stackTop  = 128 << 10 // where the heap begins: the data of the parser and its stack are below
	firstPage = 512       // pages of 64 KiB at the start
	maxPages  = 16384     // 1 GiB
	entries   = 4096      // of the table of functions
	chunk     = 5 << 10   // UTF-16 units that the parser's buffer takes at once
)

// Parser runs grammars. It is not safe for concurrent use.
type Parser struct {
	runtime   wazero.Runtime
	memory    api.Memory
	core      api.Module
	env       api.Module
	buffer    uint32 // where the parser reads and writes values that are not plain numbers
	parser    [2]uint64
	nextTable uint32
	input     []uint16
	languages map[Language]*language
	functions map[string]api.Function // of core
	stack     [8]uint64               // of a call
}

type language struct {
	address uint64
	kinds   map[uint64]kind
	fields  map[uint64]string
}

type kind struct {
	name  string
	named bool
}

// New starts the machine. A grammar is loaded when it is first used.
func New(ctx context.Context) (*Parser, error) {
	p := &Parser{languages: map[Language]*language{}, functions: map[string]api.Function{},
		runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(maxPages))}
	if err := p.start(ctx); err != nil {
		_ = p.Close(ctx) // the first error says more
		return nil, fmt.Errorf("start the parser: %w", err)
	}
	return p, nil
}

// Close frees the memory.
func (p *Parser) Close(ctx context.Context) error { return p.runtime.Close(ctx) }

func (p *Parser) start(ctx context.Context) error {
	code, err := build("web-tree-sitter")
	if err != nil {
		return err
	}
	room, err := spaceOf(code)
	if err != nil {
		return err
	}
	module, err := p.runtime.CompileModule(ctx, code)
	if err != nil {
		return err
	}
	const base = 1024
	const system = "wasi_snapshot_preview1"
	for name, functions := range map[string][]imported{"host": needs(module, "env", "host"), system: needs(module, system, system)} {
		if err := p.host(ctx, name, functions); err != nil {
			return err
		}
	}
	stackLow := (base + room.memory + 15) &^ 15
	p.env, err = p.link(ctx, linker{functions: needs(module, "env", "host"), pages: firstPage, entries: entries,
		globals: []global{{"__stack_pointer", true, stackTop}, {"__memory_base", false, base}, {"__table_base", false, 1}}}, nil)
	if err != nil {
		return err
	}
	got, err := p.link(ctx, linker{globals: []global{{"__stack_low", true, stackLow}, {"__stack_high", true, stackTop},
		{"__heap_base", true, stackTop}}}, nil)
	if err != nil {
		return err
	}
	p.memory, p.nextTable = p.env.ExportedMemory(memoryName), 1+room.table
	if p.core, err = p.load(ctx, module, map[string]api.Module{"env": p.env, "GOT.mem": got}); err != nil {
		return err
	}
	buffer, err := p.call(ctx, "ts_init")
	if err != nil {
		return err
	}
	p.buffer = uint32(buffer)
	if _, err := p.call(ctx, "ts_parser_new_wasm"); err != nil {
		return err
	}
	p.parser = [2]uint64{p.word(0), p.word(1)}
	return nil
}

// build returns a build of the folder wasm.
func build(name string) ([]byte, error) {
	data, err := builds.ReadFile("wasm/" + name + ".wasm.gz")
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return io.ReadAll(r)
}

func (p *Parser) link(ctx context.Context, l linker, from map[string]api.Module) (api.Module, error) {
	module, err := p.runtime.CompileModule(ctx, l.encode())
	if err != nil {
		return nil, err
	}
	return p.instance(ctx, module, from)
}

func (p *Parser) instance(ctx context.Context, module wazero.CompiledModule, from map[string]api.Module) (api.Module, error) {
	ctx = experimental.WithImportResolver(ctx, func(name string) api.Module { return from[name] })
	return p.runtime.InstantiateModule(ctx, module, wazero.NewModuleConfig().WithName("").WithStartFunctions())
}

// load instantiates a dynamic library, sets the addresses in its data and runs its constructors.
func (p *Parser) load(ctx context.Context, module wazero.CompiledModule, from map[string]api.Module) (api.Module, error) {
	m, err := p.instance(ctx, module, from)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"__wasm_apply_data_relocs", "__wasm_call_ctors"} {
		if f := m.ExportedFunction(name); f != nil {
			if _, err := f.Call(ctx); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// host defines the functions that the parser asks its host for: it reads the text through one, and grows its memory through another. All
// others answer 0, as the parser logs nothing and has no files.
func (p *Parser) host(ctx context.Context, name string, functions []imported) error {
	b := p.runtime.NewHostModuleBuilder(name)
	for _, f := range functions {
		do := func(_ context.Context, stack []uint64) {
			if len(f.results) > 0 {
				stack[0] = 0
			}
		}
		switch f.name {
		case "tree_sitter_parse_callback":
			do = func(_ context.Context, stack []uint64) { p.read(uint32(stack[0]), uint32(stack[1]), uint32(stack[4])) }
		case "emscripten_resize_heap":
			do = func(_ context.Context, stack []uint64) {
				want, have := uint64(uint32(stack[0])), uint64(p.memory.Size())
				stack[0] = 0
				if want <= have {
					stack[0] = 1
				} else if _, ok := p.memory.Grow(uint32((max(want, have+have/4) - have + 65535) >> 16)); ok {
					stack[0] = 1
				}
			}
		case "_abort_js":
			do = func(context.Context, []uint64) { panic("the parser aborted") }
		}
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(do), f.params, f.results).Export(f.name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// read writes the next units of the text to an address, and their number to another.
func (p *Parser) read(to, from, length uint32) {
	units := p.input[min(int(from), len(p.input)):]
	units = units[:min(len(units), chunk-1)]
	data := make([]byte, 0, 2*len(units)+2)
	for _, u := range units {
		data = binary.LittleEndian.AppendUint16(data, u)
	}
	p.memory.Write(to, append(data, 0, 0))
	p.memory.WriteUint32Le(length, uint32(len(units)))
}

func (p *Parser) call(ctx context.Context, name string, args ...uint64) (uint64, error) {
	f := p.functions[name]
	if f == nil {
		f = p.core.ExportedFunction(name)
		p.functions[name] = f
	}
	copy(p.stack[:], args)
	err := f.CallWithStack(ctx, p.stack[:])
	return p.stack[0], err
}

// word returns a number of the buffer.
func (p *Parser) word(i uint32) uint64 {
	n, _ := p.memory.ReadUint32Le(p.buffer + 4*i)
	return uint64(n)
}

func (p *Parser) cString(address uint64) string {
	var out []byte
	for at := uint32(address); at != 0; at++ {
		b, ok := p.memory.ReadByte(at)
		if !ok || b == 0 {
			break
		}
		out = append(out, b)
	}
	return string(out)
}

// language returns a grammar, which it loads once.
func (p *Parser) language(ctx context.Context, name Language) (*language, error) {
	if l := p.languages[name]; l != nil {
		return l, nil
	}
	code, err := build("tree-sitter-" + string(name))
	if err != nil {
		return nil, err
	}
	room, err := spaceOf(code)
	if err != nil {
		return nil, err
	}
	module, err := p.runtime.CompileModule(ctx, code)
	if err != nil {
		return nil, err
	}
	align := uint64(1) << room.align
	base, err := p.call(ctx, "malloc", uint64(room.memory)+align)
	if err != nil {
		return nil, err
	}
	base = (base + align - 1) &^ (align - 1)
	env, err := p.link(ctx, linker{functions: needs(module, "env", "core"), memory: "env", table: "env", pages: 1, entries: entries,
		globals: []global{{"__memory_base", false, uint32(base)}, {"__table_base", false, p.nextTable}}}, map[string]api.Module{"env": p.env,
		"core": p.core})
	if err != nil {
		return nil, err
	}
	p.nextTable += room.table
	m, err := p.load(ctx, module, map[string]api.Module{"env": env})
	if err != nil {
		return nil, err
	}
	out, err := m.ExportedFunction("tree_sitter_" + string(name)).Call(ctx)
	if err != nil {
		return nil, err
	}
	l := &language{address: out[0], kinds: map[uint64]kind{}, fields: map[uint64]string{}}
	p.languages[name] = l
	return l, nil
}

// kind returns a kind of nodes by its number.
func (p *Parser) kind(ctx context.Context, l *language, id uint64) (kind, error) {
	k, ok := l.kinds[id]
	if ok {
		return k, nil
	}
	const regular = 0 // of TSSymbolType
	name, err := p.call(ctx, "ts_language_symbol_name", l.address, id)
	if err != nil {
		return k, err
	}
	sort, err := p.call(ctx, "ts_language_symbol_type", l.address, id)
	if err != nil {
		return k, err
	}
	k = kind{name: p.cString(name), named: sort == regular}
	l.kinds[id] = k
	return k, nil
}

func (p *Parser) field(ctx context.Context, l *language, id uint64) (string, error) {
	name, ok := l.fields[id]
	if ok || id == 0 {
		return name, nil
	}
	address, err := p.call(ctx, "ts_language_field_name_for_id", l.address, id)
	if err != nil {
		return "", err
	}
	name = p.cString(address)
	l.fields[id] = name
	return name, nil
}

// Parse parses a text, which is at most 16 MiB. Bytes that are not UTF-8 count as one unknown character each.
func (p *Parser) Parse(ctx context.Context, name Language, source string) (*Tree, error) {
	const most = 16 << 20
	if len(source) > most {
		return nil, fmt.Errorf("the text has %d MiB, more than %d", len(source)>>20, most>>20)
	}
	l, err := p.language(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("load the grammar of %s: %w", name, err)
	}
	tree, err := p.parse(ctx, l, source)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	return tree, nil
}

func (p *Parser) parse(ctx context.Context, l *language, source string) (*Tree, error) {
	if _, err := p.call(ctx, "ts_parser_set_language", p.parser[0], l.address); err != nil {
		return nil, err
	}
	tree := &Tree{Text: source}
	p.input, tree.offsets = units(source)
	address, err := p.call(ctx, "ts_parser_parse_wasm", p.parser[0], p.parser[1], 0, 0, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _, _ = p.call(ctx, "ts_tree_delete", address) }()                     // frees memory only
	for _, step := range []string{"ts_tree_root_node_wasm", "ts_tree_cursor_new_wasm"} { // each leaves its result in the buffer
		if _, err := p.call(ctx, step, address); err != nil {
			return nil, err
		}
	}
	defer func() { _, _ = p.call(ctx, "ts_tree_cursor_delete_wasm", address) }()
	w := &walk{Parser: p, language: l, tree: tree, address: address}
	tree.Root, err = w.node(ctx, nil)
	return tree, err
}

// units returns a text as UTF-16, and for each unit the offset of its character in bytes; no offsets where both are the same.
func units(source string) (out []uint16, offsets []int32) {
	out = make([]uint16, 0, len(source)+1)
	for at, r := range source {
		if len(out) != at && offsets == nil {
			offsets = make([]int32, len(out), len(source)+1)
			for i := range offsets {
				offsets[i] = int32(i)
			}
		}
		before := len(out)
		out = utf16.AppendRune(out, r)
		if offsets != nil || len(out)-before != 1 {
			for range len(out) - before {
				offsets = append(offsets, int32(at))
			}
		}
	}
	if offsets == nil && len(out) != len(source) {
		offsets = make([]int32, len(out))
		for i := range offsets {
			offsets[i] = int32(i)
		}
	}
	if offsets != nil {
		offsets = append(offsets, int32(len(source)))
	}
	return out, offsets
}
