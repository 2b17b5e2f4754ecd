// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unsafe"
)

// tape is the structure of one raw JSON document: one entry a value, in document order, without decoding any. It is
// strict: what encoding/json refuses is refused here.
type tape struct {
	src   string
	nodes []entry
}

// entry is one value. Children of a map or list follow it directly; next leads to the following sibling, 0 at the end.
type entry struct {
	kind             kind
	escaped          bool // the string must be decoded
	keyEscaped       bool
	shadowed         bool  // a later member of the same map has the same key
	start, end       int32 // the content of a string, or the digits of a number
	keyStart, keyEnd int32
	next             int32
	n                int32 // entries of a map or list; 1 for true
}

// maxDepth is the nesting that encoding/json accepts.
const maxDepth = 10000

// skipped names the one member of metadata that rules never read and that is often larger than the rest of the object.
const skipped = "managedFields"

// parse reads a document whose top-level value is a map. The tape refers to raw and must not outlive it unchanged.
func (t *tape) parse(raw []byte) error {
	t.nodes = t.nodes[:0]
	if len(raw) > 1<<30 {
		return fmt.Errorf("read object: %d bytes are more than the limit of 1 GiB", len(raw))
	}
	t.src = unsafe.String(unsafe.SliceData(raw), len(raw))
	p := parser{t: t, s: t.src}
	p.space()
	if p.pos >= len(p.s) || p.s[p.pos] != '{' {
		return p.fail("an object was expected")
	}
	if err := p.value(0, 0, false, 0); err != nil {
		return err
	}
	p.space()
	if p.pos != len(p.s) {
		return p.fail("data after the end of the object")
	}
	return nil
}

func (t *tape) text(start, end int32, escaped bool) string {
	if !escaped {
		return t.src[start:end]
	}
	var s string
	// The parser has accepted the literal, so this cannot fail.
	_ = json.Unmarshal([]byte(t.src[start-1:end+1]), &s)
	return s
}

func (t *tape) key(i int32) string {
	e := &t.nodes[i]
	return t.text(e.keyStart, e.keyEnd, e.keyEscaped)
}

func (t *tape) str(i int32) string {
	e := &t.nodes[i]
	if e.kind != kindString {
		return ""
	}
	return t.text(e.start, e.end, e.escaped)
}

// get finds a member; of duplicates the last one counts, as in encoding/json.
func (t *tape) get(i int32, key string) node {
	e := &t.nodes[i]
	if e.kind != kindMap || e.n == 0 {
		return node{}
	}
	var found node
	for c := i + 1; c != 0; {
		m := &t.nodes[c]
		if m.keyEscaped {
			if t.key(c) == key {
				found = node{t: t, i: c}
			}
		} else if int(m.keyEnd-m.keyStart) == len(key) && t.src[m.keyStart:m.keyEnd] == key {
			found = node{t: t, i: c}
		}
		c = m.next
	}
	return found
}

func (t *tape) fields(i int32, f func(string, node) bool) {
	e := &t.nodes[i]
	if e.kind != kindMap || e.n == 0 {
		return
	}
	for c := i + 1; c != 0; c = t.nodes[c].next {
		if t.nodes[c].kind == kindNull || t.nodes[c].shadowed {
			continue
		}
		if !f(t.key(c), node{t: t, i: c}) {
			return
		}
	}
}

func (t *tape) num(i int32) (int64, bool) {
	e := &t.nodes[i]
	switch e.kind {
	case kindInt:
		return parseInt(t.src[e.start:e.end])
	case kindFloat:
		f, err := strconv.ParseFloat(t.src[e.start:e.end], 64)
		if err != nil {
			return 0, false
		}
		return wholeFloat(f)
	case kindString:
		return parseNum(t.str(i))
	}
	return 0, false
}

func parseInt(s string) (int64, bool) {
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

// value decodes a value: int64 for whole numbers, float64 for others. The result shares nothing with the raw bytes.
func (t *tape) value(i int32) any {
	e := &t.nodes[i]
	switch e.kind {
	case kindBool:
		return e.n == 1
	case kindInt:
		v, _ := parseInt(t.src[e.start:e.end])
		return v
	case kindFloat:
		f, _ := strconv.ParseFloat(t.src[e.start:e.end], 64)
		return f
	case kindString:
		return strings.Clone(t.str(i))
	case kindList:
		l := make([]any, 0, e.n)
		if e.n > 0 {
			for c := i + 1; c != 0; c = t.nodes[c].next {
				l = append(l, t.value(c))
			}
		}
		return l
	case kindMap:
		m := make(map[string]any, e.n)
		if e.n > 0 {
			for c := i + 1; c != 0; c = t.nodes[c].next {
				m[strings.Clone(t.key(c))] = t.value(c)
			}
		}
		return m
	}
	return nil
}
