// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// samples is the folder of the sample objects, seen from the folder of an operator.
const samples = "../samples"

// compareSamples compares the files that a demo recorded with the committed ones, by the conditions of each object of some kinds.
func compareSamples(t *testing.T, recorded string, kinds map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(recorded)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		want, got := sampleCells(t, filepath.Join(samples, entry.Name()), kinds), sampleCells(t, filepath.Join(recorded, entry.Name()), kinds)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s is out of date, write it with -update (-file +demo):\n%s", entry.Name(), diff)
		}
	}
}

// sampleCells returns the conditions of the objects of a file, as "Kind/name Type=Status Reason".
func sampleCells(t *testing.T, file string, kinds map[string]string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	for _, document := range bytes.Split(data, []byte("\n---\n"))[1:] {
		var o unstructured.Unstructured
		if err := yaml.Unmarshal(document, &o.Object); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if kinds[o.GetKind()] == "" {
			continue
		}
		list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		for _, entry := range list {
			c, _ := entry.(map[string]any)
			cells = append(cells, fmt.Sprintf("%s/%s %v=%v %v", o.GetKind(), o.GetName(), c["type"], c["status"], c["reason"]))
		}
	}
	slices.Sort(cells)
	return cells
}
