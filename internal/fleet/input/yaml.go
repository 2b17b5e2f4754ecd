// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"io"
	"strings"
)

// document splits one document: JSON values, or YAML.
func (s *splitter) document(d *document) {
	if s.chunk == nil {
		s.chunk = make([]byte, bufferSize)
	}
	in := &unread{in: d, chunk: s.chunk}
	defer func() { _, _ = io.Copy(io.Discard, in) }() // the next document is behind it
	offset, ok := in.toContent()
	if !ok {
		return
	}
	line := d.lineAt(offset)
	content := func() []byte { return bytes.TrimLeft(in.front, " \t\r\n") }
	if first := content()[0]; first != '{' && first != '[' {
		s.yaml(line, in)
		return
	}
	for len(bytes.TrimLeft(content()[1:], " \t\r\n")) == 0 && in.extend() {
	}
	if isJSON(content()) {
		s.json(d, in, offset)
		return
	}
	all, _ := io.ReadAll(in)
	if startsWithJSON(all) {
		s.json(d, &unread{front: all}, offset)
	} else {
		s.send(part{line: line, text: all, yaml: true})
	}
}

// yaml splits a YAML document. The items of a list in block style, under the key "items" of the document, are parts of their own: an
// item is the lines
// from a dash in the column of the first one to the next such dash. If that dash is inside of quotes or brackets, the lines before it
// are no YAML alone,
// and the reader joins them with the rest; see [reader.rejoin].
func (s *splitter) yaml(line int, in *unread) {
	var head []byte
	for at := line; ; {
		text := in.line()
		at++
		if isItems(text) {
			lead := bytes.Clone(text)
			for text = in.line(); len(text) > 0 && isBlank(text); text = in.line() {
				lead = append(lead, text...)
				at++
			}
			if indent, ok := dash(text); ok {
				s.send(part{form: begin, line: line, text: head, lead: lead, yaml: true})
				s.items(text, at, indent, in)
				return
			}
			head = append(head, lead...)
			at++
		}
		if len(text) == 0 {
			s.send(part{line: line, text: head, yaml: true})
			return
		}
		head = append(head, text...)
	}
}

// items splits the items of a YAML list in block style, and the fields after it. It starts in a line with the dash of the first one.
func (s *splitter) items(first []byte, line, indent int, in *unread) {
	p := part{form: item, line: line, text: bytes.Clone(first), indent: indent, yaml: true}
	for at := line + 1; ; at++ {
		text := in.line()
		column, dashed := dash(text)
		switch {
		case len(text) > 0 && (column > indent || isBlank(text)):
			p.text = append(p.text, text...)
		case dashed && column == indent:
			s.send(p)
			p.line, p.text = at, append(p.text[:0], text...)
		default:
			s.send(p)
			rest, _ := io.ReadAll(in)
			s.send(part{form: end, line: at, text: append(bytes.Clone(text), rest...), yaml: true})
			return
		}
	}
}

// isItems reports whether a line is the key "items" of a document, with the value below it.
func isItems(line []byte) bool {
	rest, ok := strings.CutPrefix(string(line), "items:")
	return ok && isBlank([]byte(rest))
}

// isBlank reports whether a line is empty or a comment.
func isBlank(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

// dash returns the column of the dash with which a line begins, from 0.
func dash(line []byte) (indent int, ok bool) {
	indent = len(line) - len(bytes.TrimLeft(line, " "))
	line = line[indent:]
	return indent, len(line) > 0 && line[0] == '-' && (len(line) == 1 || strings.IndexByte(" \t\r\n", line[1]) >= 0)
}
