// SPDX-License-Identifier: Apache-2.0

package treescan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/source"
)

// shown returns the sites of a scan, a line each: line, type, status, reasons. A value that is not known is shown as the way in which it
// was lost.
func shown(scan *source.Scan) string {
	var b strings.Builder
	words := func(values []source.Value) string {
		var out []string
		for _, v := range values {
			if v.Known() {
				out = append(out, v.Text)
			} else {
				out = append(out, string(v.How))
			}
		}
		return strings.Join(out, "|")
	}
	for _, s := range scan.Sites {
		fmt.Fprintf(&b, "%d %s=%s/%s\n", s.Position.Line, words(s.Types), words(s.Statuses), words(s.Reason))
	}
	return b.String()
}

// TestScan: one file a case, whose sites are listed in it behind the mark of a comment and "want".
func TestScan(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "code"+filepath.Ext(file)), data, 0o666); err != nil {
				t.Fatal(err)
			}
			scans, err := Scan(t.Context(), dir)
			if err != nil || len(scans) != 1 || len(scans[0].Faults) > 0 {
				t.Fatal(scans, err)
			}
			var want strings.Builder
			for line := range strings.Lines(string(data)) {
				if _, w, ok := strings.Cut(line, " want "); ok {
					want.WriteString(w)
				}
			}
			if diff := cmp.Diff(want.String(), shown(scans[0])); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestBroken: a file that ends anywhere, or lacks a part, is scanned like any other.
func TestBroken(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(data); at += 97 {
			name := filepath.Join(dir, fmt.Sprintf("f%d%s", at, filepath.Ext(file)))
			if err := os.WriteFile(name, append(data[:at:at], data[min(at+len("Some(("), len(data)):]...), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name+filepath.Ext(file), data[:at], 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if scans, err := Scan(t.Context(), dir); err != nil || len(scans) != 3 {
		t.Error(scans, err)
	}
}
