// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// lax are the options of JSON: keys are compared when objects are built, and bytes that are no UTF-8 become U+FFFD, as encoding/json
// does it.
var lax = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// json splits JSON values one after the other. The items before a fault in a value are read; then it goes on at the next line that
// begins with a
// value.
func (s *splitter) json(d *document, in *unread, offset int64) {
	for {
		s.fields = s.fields[:0]
		v := &values{splitter: s, document: d, offset: offset, d: jsontext.NewDecoder(in, lax...)}
		front := in.front
		err := v.all()
		if errors.Is(err, io.EOF) {
			return
		}
		at := v.d.InputOffset()
		if in.front = v.d.UnreadBuffer(); at+int64(len(in.front)) <= int64(len(front)) {
			in.front = front[at:] // nothing was read beyond it
		}
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			_ = in.skip(syntax.ByteOffset - at)
			at, err = syntax.ByteOffset, syntax.Err
		}
		if d.stream.err == nil { // else it is cut off by that error
			line := offset + at
			if errors.Is(err, io.ErrUnexpectedEOF) { // which is behind the last line end
				line, err = d.size-1, io.ErrUnexpectedEOF
			}
			s.fail("", d.lineAt(line), fmt.Errorf("not JSON: %w", err))
		}
		v.cutOff()
		skipped, more := in.toNextValue()
		if !more {
			return
		}
		offset += at + skipped
	}
}

// values splits JSON values up to a fault.
type values struct {
	*splitter
	document *document
	d        *jsontext.Decoder
	offset   int64 // of the decoder in the document
	line     int   // of the value that is being read
	inside   bool  // a list was begun
}

// all reads values until an error, which is io.EOF at the end.
func (v *values) all() error {
	for {
		if err := v.one(); err != nil {
			return err
		}
	}
}

func (v *values) one() error {
	switch v.d.PeekKind() {
	case '{':
		return v.object()
	case '[':
		v.line, v.fields = v.start(), append(v.fields[:0], '{')
		v.send(part{form: begin, line: v.line, array: true})
		v.inside = true
		err := v.items()
		if err == nil {
			v.inside = false
			v.send(part{form: end, line: v.line, text: append(v.fields, '}')})
		}
		return err
	}
	value, err := v.d.ReadValue()
	if err == nil {
		v.send(part{line: v.document.lineAt(v.offset + v.d.InputOffset() - int64(len(value))), text: value})
	}
	return err
}

// start returns the line of the next token, which has been peeked at.
func (v *values) start() int {
	rest := v.d.UnreadBuffer()
	space := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
	return v.document.lineAt(v.offset + v.d.InputOffset() + int64(space))
}

// object reads an object. If it has a list "items", the items are parts of their own.
func (v *values) object() error {
	v.line = v.start()
	if _, err := v.d.ReadToken(); err != nil {
		return err
	}
	v.fields = append(v.fields[:0], '{')
	for v.d.PeekKind() != '}' {
		name, err := v.d.ReadValue()
		if err != nil {
			return err
		}
		if len(v.fields) > 1 {
			v.fields = append(v.fields, ',')
		}
		mark := len(v.fields)
		v.fields = append(append(v.fields, name...), ':')
		if string(name) == `"items"` && v.d.PeekKind() == '[' && !v.inside {
			v.fields = bytes.TrimSuffix(v.fields[:mark], []byte(","))
			v.send(part{form: begin, line: v.line, text: append(v.fields, '}')})
			v.inside, v.fields = true, append(v.fields[:0], '{')
			if err := v.items(); err != nil {
				return err
			}
			continue
		}
		value, err := v.d.ReadValue()
		if err != nil {
			v.fields = bytes.TrimSuffix(v.fields[:mark], []byte(","))
			return err
		}
		v.fields = append(v.fields, value...)
	}
	if _, err := v.d.ReadToken(); err != nil {
		return err
	}
	p := part{line: v.line, text: append(v.fields, '}')}
	if v.inside {
		p.form = end
	}
	v.inside = false
	v.send(p)
	return nil
}

// items reads a list.
func (v *values) items() error {
	if _, err := v.d.ReadToken(); err != nil {
		return err
	}
	for v.d.PeekKind() != ']' {
		value, err := v.d.ReadValue()
		if err != nil {
			return err
		}
		v.send(part{form: item, line: v.document.lineAt(v.offset + v.d.InputOffset() - int64(len(value))), text: value})
	}
	_, err := v.d.ReadToken()
	return err
}

// cutOff ends the list that an error has cut off, if there is one.
func (v *values) cutOff() {
	if v.inside {
		v.send(part{form: end, line: v.line, text: append(v.fields, '}')})
	}
}

// isJSON reports whether text that begins with { or [ is JSON, perhaps with a fault, rather than YAML in flow style: its first key is
// quoted.
func isJSON(start []byte) bool {
	rest := bytes.TrimLeft(start[1:], " \t\r\n")
	return len(rest) > 0 && strings.IndexByte(`"{[`, rest[0]) >= 0
}

// startsWithJSON reports whether the first value of a text is JSON, or another one follows its fault.
func startsWithJSON(text []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(text), lax...)
	err := d.SkipValue()
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return bytes.Contains(text[min(int(syntax.ByteOffset), len(text)):], []byte("\n{"))
	}
	return err == nil
}
