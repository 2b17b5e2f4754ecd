// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"k8s.io/client-go/util/jsonpath"
)

// parsePath reads PATH or PATH=VALUE as kubectl wait does: {.status.phase}=Running, with the braces and the first dot left out or not. An
// equals sign inside of brackets, or one of two, belongs to the path.
func parsePath(text string) (parsed, wanted string, err error) {
	path, value, given := text, "", false
	depth := 0
	for i := 0; i < len(text) && !given; i++ {
		switch c := text[i]; {
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case c == '=' && depth == 0:
			path, value, given = text[:i], strings.Trim(text[i+1:], `'"`), true
		}
	}
	switch {
	case path == "":
		return "", "", errors.New("there is no path: write jsonpath={.status.phase}=Running")
	case given && value == "":
		return "", "", errors.New("there is no value after the equals sign")
	}
	path = strings.TrimSuffix(strings.TrimPrefix(path, "{"), "}")
	path = "{." + strings.TrimPrefix(path, ".") + "}"
	if _, err := newPath(path); err != nil {
		return "", "", err
	}
	return path, value, nil
}

// newPath parses a path, for one evaluation: it changes the path.
func newPath(path string) (*jsonpath.JSONPath, error) {
	p := jsonpath.New("wait").AllowMissingKeys(true)
	return p, p.Parse(path)
}

// atPath reports whether the one value at the path is the wanted one, or exists if none is wanted. Several values are an error, as in
// kubectl wait.
func (e Expression) atPath(content map[string]any) (bool, error) {
	var found []any
	path, err := newPath(e.path)
	if err != nil {
		return false, err
	}
	results, err := path.FindResults(content)
	if err != nil {
		return false, nil // such as a filter over a list that is not there yet
	}
	for _, list := range results {
		for _, v := range list {
			if v.IsValid() && v.CanInterface() && v.Interface() != nil {
				found = append(found, v.Interface())
			}
		}
	}
	switch {
	case len(found) == 0:
		return false, nil
	case len(found) > 1:
		return false, fmt.Errorf("%q: the path leads to %d values, want one", e.text, len(found))
	case e.value == "":
		return true, nil
	}
	switch found[0].(type) {
	case map[string]any, []any:
		return false, fmt.Errorf("%q: the path leads to a map or a list, which has no value to compare", e.text)
	}
	var text bytes.Buffer
	if err := path.PrintResults(&text, results[0]); err != nil {
		return false, err
	}
	return text.String() == e.value, nil
}
