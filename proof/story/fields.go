// SPDX-License-Identifier: Apache-2.0

package story

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

func parseStatus(args []word) (Command, error) {
	ref, patch, err := parseFields(args)
	return SetStatus{ref, patch}, err
}

func parseSet(args []word) (Command, error) {
	ref, patch, err := parseFields(args)
	if _, ok := patch["status"]; ok && err == nil {
		err = fmt.Errorf("status fields are written with: status %s FIELD=VALUE", ref)
	}
	return Set{ref, patch}, err
}

// parseFields reads PATH=VALUE... into a merge patch.
func parseFields(args []word) (Ref, map[string]any, error) {
	if len(args) < 2 {
		return Ref{}, nil, errUsage
	}
	ref, err := parseRef(args[0].text)
	if err != nil {
		return ref, nil, err
	}
	patch := map[string]any{}
	for _, a := range args[1:] {
		path, rest, err := parsePath(a.text)
		if err != nil {
			return ref, nil, err
		}
		value, err := parseValue(rest)
		if err != nil {
			return ref, nil, fmt.Errorf("value of %s: %w", a.text[:len(a.text)-len(rest)-1], err)
		}
		if err := put(patch, path, value); err != nil {
			return ref, nil, err
		}
	}
	return ref, patch, nil
}

// parsePath reads the fields before the = and returns the text behind it.
func parsePath(s string) (path []string, rest string, err error) {
	bad := func(why string) ([]string, string, error) {
		return nil, "", fmt.Errorf("%q is not PATH=VALUE: %s", s, why)
	}
	var field strings.Builder
	open := true // a field may begin here
	flush := func() {
		path = append(path, field.String())
		field.Reset()
	}
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			field.WriteByte(s[i+1])
			i += 2
		case c == '[' && i+1 < len(s) && isQuote(s[i+1]):
			quoted, err := strconv.QuotedPrefix(s[i+1:])
			if err != nil {
				return bad("quote is not closed")
			}
			key, err := strconv.Unquote(quoted)
			end := i + 1 + len(quoted)
			if err != nil || end >= len(s) || s[end] != ']' {
				return bad(`a field in brackets is ["name"]`)
			}
			if field.Len() > 0 {
				flush()
			}
			path = append(path, key)
			open = false
			i = end + 1
		case c == '.' || c == '=':
			if field.Len() > 0 {
				flush()
			} else if open {
				return bad("a field is empty")
			}
			open = true
			i++
			if c == '=' {
				return path, s[i:], nil
			}
		default:
			field.WriteByte(c)
			i++
		}
	}
	return bad("no =")
}

// parseValue reads a YAML value on one line.
func parseValue(s string) (any, error) {
	if s == "" {
		return nil, fmt.Errorf(`it is empty (write null to remove the field, "" for the empty string)`)
	}
	if s[0] == '`' {
		return strconv.Unquote(s)
	}
	data, err := yaml.YAMLToJSONStrict([]byte(s))
	if err != nil {
		_, message := catalog.YAMLError(err)
		return nil, errors.New(message)
	}
	var value any
	err = json.Unmarshal(data, &value)
	return value, err
}

// put sets a field of a nested map.
func put(m map[string]any, path []string, value any) error {
	for i, field := range path[:len(path)-1] {
		next, there := m[field]
		if !there {
			next = map[string]any{}
			m[field] = next
		}
		inner, ok := next.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is given a value and a field", strings.Join(path[:i+1], "."))
		}
		m = inner
	}
	last := path[len(path)-1]
	if _, there := m[last]; there {
		return fmt.Errorf("%s is given twice", strings.Join(path, "."))
	}
	m[last] = value
	return nil
}

// mergePatch applies a JSON merge patch (RFC 7386) to a map that may be changed.
func mergePatch(target, patch map[string]any) map[string]any {
	if target == nil {
		target = map[string]any{}
	}
	for key, value := range patch {
		switch v := value.(type) {
		case nil:
			delete(target, key)
		case map[string]any:
			old, _ := target[key].(map[string]any)
			target[key] = mergePatch(old, v)
		default:
			target[key] = value
		}
	}
	return target
}

// normalize returns a deep copy with the types of decoded JSON.
func normalize(content map[string]any) (map[string]any, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("the object is not JSON: %w", err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("the object is not JSON: %w", err)
	}
	return out, nil
}
