// SPDX-License-Identifier: Apache-2.0

package score

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// Read reads a folder by its form: a corpus with an index.json, of which the named sets are read; files of cases (YAML lists of name,
// object and verdict); vocabularies (.tsv), of which each constant makes objects that use it; and lists of objects as kubectl prints them
// (.json). Objects without an asserted verdict show only what changes. The sealed half of the hold-out is packed, and is not read: no rule
// or word is kept for it.
func Read(dir string, sets []string, now time.Time) ([]Row, error) {
	var rows []Row
	if _, err := os.Stat(filepath.Join(dir, "index.json")); err == nil {
		for _, set := range sets {
			some, err := Load(dir, set, now)
			if err != nil {
				return nil, err
			}
			rows = append(rows, some...)
		}
		return rows, nil
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		read := map[string]func(string, []byte) ([]Row, error){".yaml": caseRows, ".tsv": vocabularyRows, ".json": listRows}[filepath.Ext(path)]
		if read == nil {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		some, err := read(path, data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		rows = append(rows, some...)
		return nil
	})
	return rows, err
}

// caseRows returns the objects of a file of cases. A file of another form has none.
func caseRows(path string, data []byte) ([]Row, error) {
	var cases []struct {
		Name    string           `json:"name"`
		Object  map[string]any   `json:"object"`
		Verdict verdict.Status   `json:"verdict"`
		Also    []verdict.Status `json:"also"`
	}
	if err := yaml.Unmarshal(data, &cases); err != nil {
		return nil, nil //nolint:nilerr // it is no list of cases
	}
	var rows []Row
	for _, c := range cases {
		if c.Verdict != "" {
			kind, _ := c.Object["kind"].(string)
			rows = append(rows, Row{ID: filepath.Base(path) + " " + c.Name, Kind: kind, Verdicts: append(c.Also, c.Verdict), Object: c.Object})
		}
	}
	return rows, nil
}

// listRows returns the objects of a list, as of kubectl get -o json.
func listRows(path string, data []byte) ([]Row, error) {
	_, list, err := Decode(data, time.Time{})
	if err != nil {
		return nil, err
	}
	items, _ := list["items"].([]any)
	var rows []Row
	for i, item := range items {
		if object, ok := item.(map[string]any); ok {
			rows = append(rows, Row{ID: filepath.Base(path) + " " + strconv.Itoa(i), Object: object})
		}
	}
	return rows, nil
}

// vocabularyRows returns objects that use the constants of a vocabulary: its columns are a type, a name, the value in quotes, a file and,
// of condition types, the statuses that they are set to.
func vocabularyRows(path string, data []byte) ([]Row, error) {
	var rows []Row
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		columns := append(strings.Split(lines.Text(), "\t"), "", "", "", "")
		value, err := strconv.Unquote(columns[2])
		if err != nil || value == "" || strings.HasPrefix(columns[0], "#") {
			continue
		}
		about := columns[0] + " " + columns[1]
		add := func(status map[string]any) {
			rows = append(rows, Row{ID: fmt.Sprintf("%s:%d", filepath.Base(path), n),
				Object: map[string]any{"apiVersion": "example.org/v1", "kind": "Lamp", "spec": map[string]any{"size": int64(1)}, "status": status}})
		}
		condition := func(conditionType, status, reason string) any {
			return map[string]any{"type": conditionType, "status": status, "reason": reason}
		}
		well := condition("Ready", "True", "Ready")
		switch {
		case strings.Contains(about, "Reason"):
			for _, status := range []string{"False", "Unknown"} {
				add(map[string]any{"conditions": []any{condition("Ready", status, value)}})
			}
			add(map[string]any{"conditions": []any{condition("StorageBound", "False", value)}})
			add(map[string]any{"conditions": []any{well, condition("StorageBound", "False", value)}})
			add(map[string]any{"conditions": []any{condition("Progressing", "True", value)}})
		case strings.Contains(about, "Condition"), columns[4] != "":
			for _, status := range []string{"True", "False", "Unknown"} {
				add(map[string]any{"conditions": []any{condition(value, status, "")}})
				add(map[string]any{"conditions": []any{well, condition(value, status, "")}})
			}
		default:
			add(map[string]any{"phase": value})
			add(map[string]any{"backendState": value})
		}
	}
	return rows, lines.Err()
}
