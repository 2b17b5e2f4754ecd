// SPDX-License-Identifier: Apache-2.0

package score

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/verdict"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Row is one object with its asserted health.
type Row struct {
	ID, Group, Kind string
	// Expected is the asserted word; Message that of the asserting tool.
	Expected, Message string
	// Verdicts are asserted verdicts of this engine, any of which is right; they stand in place of Expected.
	Verdicts []verdict.Status
	// JSON is the object.
	JSON []byte
	// Object is the decoded object, with int64 for whole numbers.
	Object map[string]any
}

type indexFile struct {
	Entries []struct {
		ID, Set, Group, Kind, File string
		Expected                   struct{ Argo, Message string }
	}
}

// Unasserted are the sets of a corpus that hold the answers of kstatus; they assert nothing of this engine, and show only changes.
var Unasserted = []string{"kstatus-tests", "kstatus-edge"}

// Load reads the rows of one set of a corpus that expect a verdict, or all of one that is [Unasserted]. The text __NOW__ inside a file
// means now.
func Load(dir, set string, now time.Time) ([]Row, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		return nil, fmt.Errorf("load corpus: %w", err)
	}
	var index indexFile
	if err := json.Unmarshal(raw, &index); err != nil {
		return nil, fmt.Errorf("load corpus %s: %w", dir, err)
	}
	var rows []Row
	for _, e := range index.Entries {
		if e.Set != set || e.Expected.Argo == "" && !slices.Contains(Unasserted, set) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(e.File)))
		if err != nil {
			return nil, fmt.Errorf("load corpus row %s: %w", e.ID, err)
		}
		row := Row{ID: e.ID, Group: e.Group, Kind: e.Kind, Expected: e.Expected.Argo, Message: e.Expected.Message}
		if row.JSON, row.Object, err = Decode(text, now); err != nil {
			return nil, fmt.Errorf("load corpus row %s: %w", e.ID, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Decode reads one object from YAML or JSON.
func Decode(text []byte, now time.Time) ([]byte, map[string]any, error) {
	stamped := strings.ReplaceAll(string(text), "__NOW__", now.UTC().Format(time.RFC3339))
	raw, err := yaml.YAMLToJSON([]byte(stamped))
	if err != nil {
		return nil, nil, err
	}
	var object map[string]any
	if err := utiljson.Unmarshal(raw, &object); err != nil {
		return nil, nil, err
	}
	return raw, object, nil
}
