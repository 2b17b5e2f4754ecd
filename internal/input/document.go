// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tristate/tristate/internal/yamlerror"
	yamlv3 "go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// documents splits a file at the lines that begin with --- or ..., which YAML allows nowhere inside a document.
func (r *reader) documents(file string, data []byte, lenient bool) {
	line, from, start := 1, 0, 1
	flush := func(to int) {
		if part := data[from:to]; len(bytes.TrimSpace(part)) > 0 {
			r.document(file, start, part, lenient)
		}
	}
	for at := 0; at < len(data); line++ {
		end := len(data)
		if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		if separates(data[at:end]) {
			flush(at)
			from, start = at+3, line
		}
		at = end
	}
	flush(len(data))
}

func separates(line []byte) bool {
	return (bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("..."))) && (len(line) == 3 || strings.IndexByte(" \t\r\n", line[3]) >= 0)
}

// document reads one part between separators: JSON values, or a YAML document.
func (r *reader) document(file string, line int, data []byte, lenient bool) {
	// The line is the first one with content.
	for {
		text, rest, more := bytes.Cut(data, []byte("\n"))
		if text = bytes.TrimSpace(text); len(text) > 0 && text[0] != '#' && text[0] != '%' {
			break
		} else if !more {
			return
		}
		data = rest
		line++
	}
	if first := bytes.TrimSpace(data)[0]; (first == '{' || first == '[') && r.json(file, line, data, lenient) {
		return
	}
	text, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		r.yamlError(file, line, data, err)
		return
	}
	value, err := decode(text)
	if err != nil {
		r.fail(file, line, err)
		return
	}
	r.value(file, line, value, lenient)
}

// json reads JSON values one after the other. It does nothing and reports false if the first one is not JSON: YAML may look alike.
// The items before a fault in a value are read; then it goes on at the next line that begins with a value.
func (r *reader) json(file string, line int, data []byte, lenient bool) bool {
	for first := true; ; first = false {
		skip := len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
		line += bytes.Count(data[:skip], []byte("\n"))
		if data = data[skip:]; len(data) == 0 {
			return true
		}
		value, used, err := read(data, line)
		if err != nil {
			next := bytes.Index(data[used:], []byte("\n{"))
			if first && next < 0 && value == nil && !isJSON(data) {
				return false
			}
			if _, twice := errors.AsType[*twiceError](err); !twice {
				err = fmt.Errorf("not JSON: %w", err)
			}
			r.fail(file, line+bytes.Count(data[:max(used-1, 0)], []byte("\n")), err)
			if used += next; next < 0 {
				used = len(data)
			}
		}
		if object, ok := value.(map[string]any); ok {
			if items, ok := object["items"].(*placed); ok {
				for _, fault := range items.faults {
					r.fail(file, fault.Line, fault.Err)
				}
			}
		}
		r.value(file, line, value, lenient)
		line += bytes.Count(data[:used], []byte("\n"))
		data = data[used:]
	}
}

// placed is a list whose items have lines of their own.
type placed struct {
	values []any
	lines  []int
	faults []Error // items with a repeated key, which are left out
}

// twiceError is about a repeated key of a map: JSON allows it and leaves open which one counts.
type twiceError struct{ key string }

// Error is a method of error.
func (e *twiceError) Error() string { return fmt.Sprintf("key %q is given twice", e.key) }

// read reads one JSON value and returns its length in bytes. The list "items" of an object is a *placed. With an error it returns how far it
// came, and the object with the items that were read, if any.
func read(data []byte, line int) (value any, used int, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	defer func() {
		used = int(d.InputOffset())
		var syntax *json.SyntaxError
		switch {
		case errors.As(err, &syntax): // its offset leaves out the tokens that were read
			start := len(data) - len(bytes.TrimLeft(data[used:], " \t\r\n,:"))
			var raw json.RawMessage
			if again := json.NewDecoder(bytes.NewReader(data[start:])).Decode(&raw); errors.As(again, &syntax) {
				used = min(start+int(syntax.Offset), len(data))
			}
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			used, err = len(data), io.ErrUnexpectedEOF
		}
	}()
	if data[0] != '{' {
		value, err = next(d)
		return value, 0, err
	}
	if _, err = d.Token(); err != nil {
		return nil, 0, err
	}
	object := map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, 0, err
		}
		name, _ := key.(string)
		if _, twice := object[name]; twice {
			return nil, 0, &twiceError{name}
		}
		if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n:"); name != "items" || len(rest) == 0 || rest[0] != '[' {
			if object[name], err = next(d); err != nil {
				return nil, 0, err
			}
			continue
		}
		items := &placed{}
		if err := items.read(d, data, line); err != nil {
			if len(items.values) == 0 {
				return nil, 0, err
			}
			object[name] = items
			return object, 0, err
		}
		object[name] = items
	}
	_, err = d.Token()
	return object, 0, err
}

func (p *placed) read(d *json.Decoder, data []byte, line int) error {
	if _, err := d.Token(); err != nil {
		return err
	}
	at := 0
	for d.More() {
		rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n,")
		start := len(data) - len(rest)
		line += bytes.Count(data[at:start], []byte("\n"))
		at = start
		value, err := next(d)
		if twice, ok := errors.AsType[*twiceError](err); ok {
			p.faults = append(p.faults, Error{Line: line, Err: twice})
			continue
		} else if err != nil {
			return err
		}
		p.values, p.lines = append(p.values, value), append(p.lines, line)
	}
	_, err := d.Token()
	return err
}

// next reads the next value, with whole numbers as int64, as an API client does.
func next(d *json.Decoder) (any, error) {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return nil, err
	}
	var value any
	strict, err := kjson.UnmarshalStrict(raw, &value, kjson.DisallowDuplicateFields)
	if err != nil { // of a type that sigs.k8s.io/json does not export
		if wide, ok := errors.AsType[*json.UnmarshalTypeError](json.Unmarshal(raw, new(any))); ok {
			err = fmt.Errorf("%s is out of range", wide.Value)
		}
		return nil, err
	}
	for _, fault := range strict {
		if field, ok := fault.(kjson.FieldError); ok {
			return nil, &twiceError{field.FieldPath()}
		}
	}
	return value, nil
}

// isJSON reports whether text is JSON with a fault rather than YAML in flow style: its first key is quoted.
func isJSON(data []byte) bool {
	rest := bytes.TrimLeft(data[1:], " \t\r\n")
	return len(rest) > 0 && strings.IndexByte(`"{[`, rest[0]) >= 0
}

// decode reads one value of JSON.
func decode(data []byte) (any, error) { return next(json.NewDecoder(bytes.NewReader(data))) }

// yamlError adds the errors of a YAML document that could not be read, with their lines in the file: its syntax, repeated keys, and keys that
// are no text. Line is the one in which the document starts.
func (r *reader) yamlError(file string, line int, data []byte, err error) {
	n, message := yamlerror.Line(err)
	if n == 0 {
		found := len(r.errors)
		var root yamlv3.Node
		if yamlv3.Unmarshal(data, &root) == nil {
			r.keys(file, line, &root)
		}
		if len(r.errors) > found {
			return
		}
	}
	r.fail(file, line+max(n, 1)-1, errors.New("not YAML: "+message))
}

// keys reports the keys below a node that JSON cannot have.
func (r *reader) keys(file string, line int, n *yamlv3.Node) {
	seen := map[string]bool{}
	for i, child := range n.Content {
		if n.Kind == yamlv3.MappingNode && i%2 == 0 {
			switch {
			case child.Kind != yamlv3.ScalarNode && child.Kind != yamlv3.AliasNode:
				r.fail(file, line+child.Line-1, errors.New("not YAML: the key of a map is a map or a list; is this a template that has not been rendered?"))
				return
			case seen[child.Value] && child.Tag != "!!merge":
				r.fail(file, line+child.Line-1, fmt.Errorf("key %q is given twice", child.Value))
			}
			seen[child.Value] = true
		}
		r.keys(file, line, child)
	}
}
