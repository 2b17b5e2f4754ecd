// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
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

// parser fills a tape.
type parser struct {
	t   *tape
	s   string
	pos int
}

// A SyntaxError says where raw JSON is not an object. Offset counts bytes from 0.
type SyntaxError struct {
	Offset int
	What   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("read object: byte %d: %s", e.Offset, e.What)
}

func (p *parser) fail(what string) error { return &SyntaxError{Offset: p.pos, What: what} }

func (p *parser) space() {
	for p.pos < len(p.s) {
		switch p.s[p.pos] {
		case ' ', '\n', '\t', '\r':
			p.pos++
		default:
			return
		}
	}
}

// value reads one value and appends it with its key.
func (p *parser) value(ks, ke int, kesc bool, depth int) error {
	if p.pos >= len(p.s) {
		return p.fail("the document ends too early")
	}
	if depth > maxDepth {
		return p.fail("nested too deeply")
	}
	at := len(p.t.nodes)
	p.t.nodes = append(p.t.nodes, entry{keyStart: int32(ks), keyEnd: int32(ke), keyEscaped: kesc})
	switch c := p.s[p.pos]; c {
	case '{':
		return p.object(at, depth)
	case '[':
		return p.array(at, depth)
	case '"':
		start, end, esc, err := p.str()
		e := &p.t.nodes[at]
		e.kind, e.start, e.end, e.escaped = kindString, int32(start), int32(end), esc
		return err
	case 't':
		p.t.nodes[at].kind, p.t.nodes[at].n = kindBool, 1
		return p.literal("true")
	case 'f':
		p.t.nodes[at].kind = kindBool
		return p.literal("false")
	case 'n':
		p.t.nodes[at].kind = kindNull
		return p.literal("null")
	default:
		if c == '-' || (c >= '0' && c <= '9') {
			return p.number(at)
		}
		return p.fail("a value was expected")
	}
}

func (p *parser) literal(word string) error {
	if !strings.HasPrefix(p.s[p.pos:], word) {
		return p.fail("a value was expected")
	}
	p.pos += len(word)
	return nil
}

func (p *parser) object(at, depth int) error {
	p.pos++
	count, last := int32(0), -1
	for {
		p.space()
		if p.pos >= len(p.s) {
			return p.fail("an object is not closed")
		}
		if count == 0 && p.s[p.pos] == '}' {
			break
		}
		if p.s[p.pos] != '"' {
			return p.fail("a key was expected")
		}
		ks, ke, kesc, err := p.str()
		if err != nil {
			return err
		}
		p.space()
		if p.pos >= len(p.s) || p.s[p.pos] != ':' {
			return p.fail("a colon was expected")
		}
		p.pos++
		p.space()
		here := len(p.t.nodes)
		if err := p.value(ks, ke, kesc, depth+1); err != nil {
			return err
		}
		if depth == 1 && p.s[ks:ke] == skipped && p.t.key(int32(at)) == "metadata" && p.t.nodes[here].kind == kindList {
			p.t.nodes = p.t.nodes[:here+1]
			p.t.nodes[here].n = 0
		}
		if last >= 0 {
			p.t.nodes[last].next = int32(here)
		}
		last = here
		count++
		p.space()
		if p.pos >= len(p.s) {
			return p.fail("an object is not closed")
		}
		if p.s[p.pos] == '}' {
			break
		}
		if p.s[p.pos] != ',' {
			return p.fail("a comma or a closing brace was expected")
		}
		p.pos++
	}
	p.pos++
	p.t.nodes[at].kind, p.t.nodes[at].n = kindMap, count
	if count > 1 {
		p.shadow(at)
	}
	return nil
}

// shadow marks all but the last of equal keys.
func (p *parser) shadow(at int) {
	t := p.t
	if t.nodes[at].n > 24 {
		seen := make(map[string]int32, t.nodes[at].n)
		for c := int32(at) + 1; c != 0; c = t.nodes[c].next {
			k := t.key(c)
			if earlier, ok := seen[k]; ok {
				t.nodes[earlier].shadowed = true
				t.nodes[at].n--
			}
			seen[k] = c
		}
		return
	}
	for c := int32(at) + 1; c != 0; c = t.nodes[c].next {
		a := &t.nodes[c]
		for d := a.next; d != 0; d = t.nodes[d].next {
			b := &t.nodes[d]
			same := a.keyEnd-a.keyStart == b.keyEnd-b.keyStart || a.keyEscaped || b.keyEscaped
			if same && t.key(c) == t.key(d) {
				a.shadowed = true
				t.nodes[at].n--
				break
			}
		}
	}
}

func (p *parser) array(at, depth int) error {
	p.pos++
	count, last := int32(0), -1
	for {
		p.space()
		if p.pos >= len(p.s) {
			return p.fail("a list is not closed")
		}
		if count == 0 && p.s[p.pos] == ']' {
			break
		}
		here := len(p.t.nodes)
		if err := p.value(0, 0, false, depth+1); err != nil {
			return err
		}
		if last >= 0 {
			p.t.nodes[last].next = int32(here)
		}
		last = here
		count++
		p.space()
		if p.pos >= len(p.s) {
			return p.fail("a list is not closed")
		}
		if p.s[p.pos] == ']' {
			break
		}
		if p.s[p.pos] != ',' {
			return p.fail("a comma or a closing bracket was expected")
		}
		p.pos++
	}
	p.pos++
	p.t.nodes[at].kind, p.t.nodes[at].n = kindList, count
	return nil
}

// str reads a string literal and gives the bounds of its content.
func (p *parser) str() (start, end int, escaped bool, err error) {
	p.pos++
	start = p.pos
	high := false
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		switch {
		case c == '"':
			end = p.pos
			p.pos++
			if high && !escaped && !utf8.ValidString(p.s[start:end]) {
				escaped = true
			}
			return start, end, escaped, nil
		case c == '\\':
			escaped = true
			if err := p.escape(); err != nil {
				return 0, 0, false, err
			}
			continue
		case c < 0x20:
			return 0, 0, false, p.fail("a control character in a string")
		case c >= 0x80:
			high = true
		}
		p.pos++
	}
	return 0, 0, false, p.fail("a string is not closed")
}

func (p *parser) escape() error {
	p.pos++
	if p.pos >= len(p.s) {
		return p.fail("a string is not closed")
	}
	switch p.s[p.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		p.pos++
		return nil
	case 'u':
		for i := 1; i <= 4; i++ {
			if p.pos+i >= len(p.s) || !isHex(p.s[p.pos+i]) {
				return p.fail("a wrong unicode escape")
			}
		}
		p.pos += 5
		return nil
	}
	return p.fail("a wrong escape")
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (p *parser) digits() bool {
	from := p.pos
	for p.pos < len(p.s) && isDigit(p.s[p.pos]) {
		p.pos++
	}
	return p.pos > from
}

func (p *parser) number(at int) error {
	start := p.pos
	whole := true
	if p.s[p.pos] == '-' {
		p.pos++
	}
	switch {
	case p.pos < len(p.s) && p.s[p.pos] == '0':
		p.pos++
	case !p.digits():
		return p.fail("a digit was expected")
	}
	if p.pos < len(p.s) && p.s[p.pos] == '.' {
		whole = false
		p.pos++
		if !p.digits() {
			return p.fail("a digit was expected")
		}
	}
	if p.pos < len(p.s) && (p.s[p.pos] == 'e' || p.s[p.pos] == 'E') {
		whole = false
		p.pos++
		if p.pos < len(p.s) && (p.s[p.pos] == '+' || p.s[p.pos] == '-') {
			p.pos++
		}
		if !p.digits() {
			return p.fail("a digit was expected")
		}
	}
	e := &p.t.nodes[at]
	e.kind, e.start, e.end = kindFloat, int32(start), int32(p.pos)
	text := p.s[start:p.pos]
	if whole {
		if len(text) < 19 {
			e.kind = kindInt
			return nil
		}
		if _, ok := parseInt(text); ok {
			e.kind = kindInt
			return nil
		}
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return p.fail("a number is out of range")
	}
	return nil
}
