// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Limits of a file. A file that exceeds one is refused, so that reading is bounded in time and memory.
const (
	maxBytes     = 4 << 20 // of a file; an API server takes less for one object
	maxDocuments = 1000    // of a file
	maxNodes     = 200_000 // of a document, with the values that its aliases repeat
	maxErrors    = 200     // reported for a file; at the next one it says that there are more
)

// limits of what a document declares, in all its lists: a type is one condition, a fact and each type that it sets is one reason. The
// largest catalog of this repository has 19 types, 118 reasons and 126 expressions.
var limits = map[string]int{"types": 200, "reasons": 2000, "expressions": 1000}

// Parse reads all catalogs of a file, YAML or JSON, one document a catalog. Reading is strict: an unknown or repeated key, a
// value of the wrong type or outside of its enumeration, and a missing required field are errors. It reports everything
// wrong at once, as [Errors] ordered by position, and returns the documents that are fine. A document without content is
// skipped; one of another kind is an error. A syntax error spoils only its own document. Parse does not look at what values
// mean: [Compile] does. At most 4 MiB and 1000 documents are read, of a document at most 200 types, 2000 reasons and 1000 expressions.
func Parse(file string, data []byte) ([]*Source, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if len(data) > maxBytes {
		return nil, Errors{{Code: CodeParse, Position: Position{file, 1, 1}, Message: fmt.Sprintf("file has %d bytes, more than %d", len(data),
			maxBytes),
			Suggestion: "divide it into several files"}}
	}
	var out []*Source
	var errs Errors
	parts := newText(file, data).documents()
	if len(parts) > maxDocuments {
		errs = append(errs, &Error{Position: parts[maxDocuments].position(0), Message: fmt.Sprintf("file has more than %d documents",
			maxDocuments),
			Suggestion: "divide it into several files"})
		parts = parts[:maxDocuments]
	}
	for _, part := range parts {
		roots, e := part.nodes()
		errs = append(errs, e...)
		for _, root := range roots {
			source, e := decode(part, file, root)
			errs = append(errs, e...)
			if len(e) == 0 {
				out = append(out, source)
			}
		}
	}
	for _, e := range errs {
		e.Code = CodeParse
	}
	err := errs.err()
	if len(errs) > maxErrors {
		more := &Error{Position: errs[maxErrors].Position, Message: fmt.Sprintf("there are more errors than the %d before this one", maxErrors)}
		return out, append(errs[:maxErrors:maxErrors], more)
	}
	return out, err
}

// nodes parses the YAML documents of a part, which are several only where "..." ends one. Empty ones are left out.
func (t *text) nodes() ([]*yaml.Node, Errors) {
	if at := t.unprintable(); at >= 0 {
		message := fmt.Sprintf("character %q is not allowed in YAML", []rune(string(t.data[at:min(at+4, len(t.data))]))[0])
		return nil, Errors{{Position: t.position(at), Message: message, Suggestion: "save the file as UTF-8; write the character as an escape " +
			"in double quotes"}}
	}
	var out []*yaml.Node
	reader := yaml.NewDecoder(bytes.NewReader(t.data))
	for {
		root, err := next(reader)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, Errors{t.syntax(err)}
		}
		empty := len(root.Content) == 1 && root.Content[0].Tag == "!!null" && root.Content[0].Value == ""
		if len(root.Content) == 1 && !empty {
			out = append(out, root.Content[0])
		}
	}
}

// next reads a document. A panic of the YAML library is an error like another: whoever writes a catalog must not stop who
// reads it.
func next(reader *yaml.Decoder) (node *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot be read: %v", p)
		}
	}()
	node = &yaml.Node{}
	return node, reader.Decode(node)
}

// syntax places an error of the YAML library, which knows a line at best, and often the one where a collection began.
func (t *text) syntax(err error) *Error {
	row, message := YAMLError(err)
	row = max(row, 1)
	found := t.unreadableRow(func(beginning []byte) bool {
		reader := yaml.NewDecoder(bytes.NewReader(beginning))
		for {
			if _, err := next(reader); err != nil {
				return errors.Is(err, io.EOF)
			}
		}
	})
	if found > 0 {
		row = found
	}
	at := t.offset(row, 1)
	end := at
	for end < len(t.data) && (t.data[end] == ' ' || t.data[end] == '\t') {
		end++
	}
	suggestion := "check the indentation, quotes and brackets here and in the line before"
	if bytes.IndexByte(t.data[at:end], '\t') >= 0 {
		suggestion = "indent with spaces, not with tabs"
	}
	return &Error{Position: t.position(end), Message: "not YAML: " + message, Suggestion: suggestion}
}

// decode makes a source of a document. The text is nil for an object.
func decode(t *text, file string, root *yaml.Node) (*Source, Errors) {
	s := &Source{positions: map[string]Position{}, file: file}
	d := &decoder{text: t, source: s, nodes: maxNodes, counts: map[string]int{}, seen: map[Error]bool{}}
	if d.header(root) {
		d.value(root, reflect.ValueOf(&s.Document).Elem(), "", "")
		s.expand()
	}
	return s, d.errors
}

// header reports whether a document is a catalog; what else a document of another kind has is not looked at.
func (d *decoder) header(root *yaml.Node) bool {
	d.mark("", root)
	if root.Kind != yaml.MappingNode {
		d.fail(root, "", "write a mapping with apiVersion, kind, metadata and spec", "document is %s, want a catalog", describeNode(root))
		return false
	}
	given := map[string]*yaml.Node{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := resolve(root.Content[i])
		if value := resolve(root.Content[i+1]); value.Kind == yaml.ScalarNode && given[key.Value] == nil {
			given[key.Value] = value
		}
	}
	version, kind := given["apiVersion"], given["kind"]
	switch {
	case kind != nil && kind.Value != DocumentKind:
		near := nearest(kind.Value, []string{DocumentKind})
		if version != nil && version.Value == APIVersion || near != "" {
			d.fail(kind, "kind", suggest(kind.Value, []string{DocumentKind}), "unknown kind %q", cut(kind.Value))
			return false
		}
		d.fail(kind, "kind", "keep only documents of kind "+DocumentKind+" in the files of catalogs", "document is a %s, not a catalog",
			cut(kind.Value))
		return false
	case version != nil && version.Value != APIVersion:
		d.fail(version, "apiVersion", suggest(version.Value, []string{APIVersion}), "unknown apiVersion %q", cut(version.Value))
		return false
	}
	return true
}

// cut shortens a quotation in a message.
func cut(s string) string {
	if runes := []rune(s); len(runes) > 80 {
		return string(runes[:77]) + "..."
	}
	return s
}

func (d *decoder) mark(path string, n *yaml.Node) {
	if d.text != nil {
		d.source.positions[path] = d.place(n)
	}
}

func (d *decoder) place(n *yaml.Node) Position {
	if d.text == nil || n.Line == 0 {
		return Position{File: d.source.file}
	}
	return d.text.position(d.text.offset(n.Line, n.Column))
}

func (d *decoder) fail(n *yaml.Node, path, suggestion, format string, args ...any) {
	e := &Error{Code: CodeParse, Position: d.place(n), Path: path, Message: fmt.Sprintf(format, args...), Suggestion: suggestion}
	same := *e
	if d.text != nil {
		same.Path = "" // an alias repeats the errors of its anchor
	}
	if d.seen[same] || len(d.errors) > maxErrors {
		return
	}
	d.seen[same] = true
	d.errors = append(d.errors, e)
}

// YAMLError returns the line of a syntax error of the YAML library, which has no type for them, and the message without
// it. The line counts from 1 in the decoded text; 0 if the error has no line.
func YAMLError(err error) (line int, message string) {
	message = strings.TrimPrefix(strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "), "yaml: ")
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		number, text, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			return n, text
		}
	}
	return 0, message
}
