// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"sigs.k8s.io/yaml"
)

// decoder decodes values as an API client does. It is for one goroutine.
type decoder struct {
	d     *jsontext.Decoder
	skip  fields
	words map[string]string // short strings that were read, each kept once
}

// fields is a tree of fields; one without children includes everything below it.
type fields map[string]fields

// most words that a decoder keeps, and the length in bytes to which it keeps them.
const (
	mostWords   = 1 << 14
	longestWord = 16
)

func newDecoder(skip [][]string) *decoder {
	d := &decoder{d: &jsontext.Decoder{}, skip: fields{}, words: map[string]string{}}
	for _, path := range skip {
		at := d.skip
		for _, name := range path {
			if at[name] == nil {
				at[name] = fields{}
			}
			at = at[name]
		}
	}
	return d
}

// twiceError is about a repeated key of a map: JSON allows it and leaves open which one counts.
type twiceError struct{ key string }

// Error is a method of error.
func (e *twiceError) Error() string { return fmt.Sprintf("key %q is given twice", e.key) }

// yaml returns the value of a YAML document.
func (d *decoder) yaml(text []byte) (any, error) {
	data, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, err
	}
	return d.json(data)
}

// json returns the value of a text that is JSON, with whole numbers as int64. Of several errors it is the first one.
func (d *decoder) json(text []byte) (any, error) {
	d.d.Reset(bytes.NewBuffer(text), lax...)
	return d.value(d.skip)
}

func (d *decoder) value(skip fields) (any, error) {
	switch d.d.PeekKind() {
	case '{':
		return d.object(skip)
	case '[':
		return d.list(skip)
	case '"':
		return d.text()
	case '0':
		n, err := d.d.ReadValue()
		if err != nil {
			return nil, err
		}
		return number(string(n))
	}
	token, err := d.d.ReadToken()
	if err != nil || token.Kind() == 'n' {
		return nil, err
	}
	return token.Bool(), nil
}

func (d *decoder) object(skip fields) (any, error) {
	_, err := d.d.ReadToken()
	out := map[string]any{}
	for err == nil && d.d.PeekKind() != '}' {
		name, err := d.text()
		if err != nil {
			return nil, err
		}
		if _, twice := out[name]; twice {
			return nil, &twiceError{name}
		}
		below := skip[name]
		if below != nil && len(below) == 0 {
			if err := d.d.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		if out[name], err = d.value(below); err != nil {
			return nil, within(name, err)
		}
	}
	if err == nil {
		_, err = d.d.ReadToken()
	}
	return out, err
}

func (d *decoder) list(skip fields) (any, error) {
	_, err := d.d.ReadToken()
	out := []any{}
	for err == nil && d.d.PeekKind() != ']' {
		item, err := d.value(skip)
		if err != nil {
			return nil, within("["+strconv.Itoa(len(out))+"]", err)
		}
		out = append(out, item)
	}
	if err == nil {
		_, err = d.d.ReadToken()
	}
	return out, err
}

// within adds the name of a field to the error of a key in it.
func within(name string, err error) error {
	if twice, ok := errors.AsType[*twiceError](err); ok {
		if !strings.HasPrefix(twice.key, "[") {
			name += "."
		}
		twice.key = name + twice.key
	}
	return err
}

// text reads a string. Short ones are kept, as the names of fields and many values come up again and again.
func (d *decoder) text() (string, error) {
	raw, err := d.d.ReadValue()
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(raw, '\\') >= 0 || !utf8.Valid(raw) {
		plain, err := jsontext.AppendUnquote(nil, raw)
		if _, invalid := errors.AsType[*jsontext.SyntacticError](err); err != nil && !invalid {
			return "", err
		}
		return string(plain), nil
	}
	raw = raw[1 : len(raw)-1]
	if len(raw) > longestWord {
		return string(raw), nil
	}
	word, known := d.words[string(raw)]
	if !known {
		word = string(raw)
		if len(d.words) < mostWords {
			d.words[word] = word
		}
	}
	return word, nil
}

// number returns a whole number as int64, and any other as float64.
func number(text string) (any, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("number %s is out of range", text)
	}
	return n, nil
}
