// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
