// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/proof/score"
	"github.com/tristate/tristate/verdict"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// sharedFile reads a file of ../shared/cases; the test is skipped without it.
func sharedFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "cases", filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("no %s beside the repository", name)
	}
	return data
}

// sharedObjects reads the objects of such a file.
func sharedObjects(t *testing.T, name string) []map[string]any {
	t.Helper()
	data := sharedFile(t, name)
	var out []map[string]any
	for r := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data))); ; {
		text, err := r.Read()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		_, object, err := score.Decode(text, time.Time{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, object)
	}
}

// sharedRight is how many of the objects of ../shared/cases/packs are right, which a change may only raise.
const sharedRight = 22

// TestSharedPacks judges the objects of ../shared/cases/packs: upstream's source shows what they mean, and the index expects verdicts.
func TestSharedPacks(t *testing.T) {
	var index []struct {
		File     string
		Expected []verdict.Status
		Why      string
	}
	if err := json.Unmarshal(sharedFile(t, "packs/index.json"), &index); err != nil {
		t.Fatal(err)
	}
	engine, right := pack.Default(embedded(t)), 0
	for _, row := range index {
		t.Run(row.File, func(t *testing.T) {
			for _, object := range sharedObjects(t, "packs/"+row.File) {
				v := engine.Judge(object, verdict.Newest(object, late))
				if !slices.Contains(row.Expected, v.Status) {
					t.Logf("want %v, got %s %s by %s: %s\n%s", row.Expected, v.Status, v.Reason, v.Rule, v.Message, row.Why)
				} else {
					right++
				}
			}
		})
	}
	if t.Logf("%d of %d right", right, len(index)); right < sharedRight {
		t.Errorf("want at least %d right", sharedRight)
	}
}

// TestSharedStates: the objects of ../shared/cases/clock-and-states about verdicts have the verdict that the head of their file demands.
func TestSharedStates(t *testing.T) {
	for file, want := range map[string][][]verdict.Status{
		"01-clock-nested":                  {{verdict.Current}},
		"02-clock-ancestors":               {{verdict.Failed}},
		"03-clock-fractions":               {{verdict.Current}},
		"04-states-scalars":                {{verdict.Failed}, {verdict.Failed}, {verdict.Current}, {verdict.Degraded}, {verdict.Failed}},
		"06-negative-false-with-a-failure": {{verdict.Failed, verdict.Degraded}},
		"07-pack-catch-all":                {{verdict.Failed, verdict.Degraded}, {verdict.Failed, verdict.Degraded}},
	} {
		t.Run(file, func(t *testing.T) {
			engine := pack.Default(embedded(t))
			if file == "04-states-scalars" {
				set, err := catalog.Load(map[string][]byte{"04-catalog.yaml": sharedFile(t, "clock-and-states/04-catalog.yaml")})
				if err != nil {
					t.Fatal(err)
				}
				engine = pack.Default(set)
			}
			for i, object := range sharedObjects(t, "clock-and-states/"+file+".yaml") {
				if v := engine.Judge(object, verdict.Newest(object, late)); !slices.Contains(want[i], v.Status) {
					t.Errorf("object %d: want %v, got %s %s by %s: %s", i, want[i], v.Status, v.Reason, v.Rule, v.Message)
				}
			}
		})
	}
}
