// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tristate/tristate/relation"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// readObjects reads the objects of files, directories and, as "-", standard input: YAML documents, JSON, and lists of objects. What has
// no kind or name is an error with its place.
func (a *App) readObjects(paths []string) ([]*relation.Object, error) {
	var out []*relation.Object
	for _, path := range paths {
		if path == "-" {
			data, err := io.ReadAll(a.In)
			if err != nil {
				return nil, fmt.Errorf("read standard input: %w", err)
			}
			if out, err = appendObjects(out, "standard input", data); err != nil {
				return nil, err
			}
			continue
		}
		err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if ext := filepath.Ext(name); entry.IsDir() || name != path && !slices.Contains([]string{".yaml", ".yml", ".json"}, ext) {
				return nil
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			out, err = appendObjects(out, name, data)
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &exit{ExitNotFound, err}
		} else if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func appendObjects(out []*relation.Object, file string, data []byte) ([]*relation.Object, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for n := 1; ; n++ {
		var content map[string]any
		if err := decoder.Decode(&content); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", file, n, err)
		}
		if len(content) == 0 {
			continue
		}
		kind, _ := content["kind"].(string)
		items, isList := content["items"].([]any)
		if isList && (strings.HasSuffix(kind, "List") || kind == "") {
			for i, item := range items {
				m, ok := item.(map[string]any)
				if !ok {
					return nil, fmt.Errorf("%s: document %d: items[%d] is not an object", file, n, i)
				}
				o := relation.FromContent(whole(m))
				if o.Kind == "" || o.Name == "" {
					return nil, fmt.Errorf("%s: document %d: items[%d] has no kind or name", file, n, i)
				}
				out = append(out, o)
			}
			continue
		}
		o := relation.FromContent(whole(content))
		if o.Kind == "" || o.Name == "" {
			return nil, fmt.Errorf("%s: document %d has no kind or name", file, n)
		}
		out = append(out, o)
	}
}

// whole makes whole numbers of what a JSON decoder reads as floats, as an API client does.
func whole(m map[string]any) map[string]any {
	for key, value := range m {
		m[key] = wholeValue(value)
	}
	return m
}

func wholeValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return whole(v)
	case []any:
		for i := range v {
			v[i] = wholeValue(v[i])
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return value
}
