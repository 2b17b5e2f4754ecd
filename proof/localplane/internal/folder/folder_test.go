// SPDX-License-Identifier: Apache-2.0

package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenLocks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	first, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is in use by process ") {
		t.Errorf("second Open: want that it is in use, got %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(dir)
	if err != nil {
		t.Fatalf("Open after Close: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if mode := stat(t, dir).Mode().Perm(); mode != 0o700 {
		t.Errorf("mode: want 0700, got %o", mode)
	}
}

func TestOpenRefuses(t *testing.T) {
	foreign := t.TempDir()
	write(t, filepath.Join(foreign, "thesis.txt"), "precious")
	tests := map[string]struct{ path, want string }{
		"a folder of somebody else": {foreign, "is neither empty nor one of localplane"},
		"a file":                    {filepath.Join(foreign, "thesis.txt"), "not a directory"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Open(test.path); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want %q, got %v", test.want, err)
			}
		})
	}
}

func TestTemporary(t *testing.T) {
	parent := t.TempDir()
	foreign := filepath.Join(parent, tempPrefix+"notes")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	used, err := Temporary(parent)
	if err != nil {
		t.Fatal(err)
	}
	abandoned, err := Temporary(parent)
	if err != nil {
		t.Fatal(err)
	}
	// What a killed process leaves: the folder without the lock.
	if err := abandoned.Lock.Close(); err != nil {
		t.Fatal(err)
	}

	last, err := Temporary(parent)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{foreign: true, used.Path: true, abandoned.Path: false, last.Path: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s exists: want %t, got %v", path, want, err)
		}
	}
	for _, f := range []*Folder{used, last} {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(f.Path); !os.IsNotExist(err) {
			t.Errorf("%s after Close: want that it is gone, got %v", f.Path, err)
		}
	}
}

func TestPort(t *testing.T) {
	f, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.Port(); got != 0 {
		t.Errorf("new folder: want 0, got %d", got)
	}
	if err := f.SetPort(40123); err != nil {
		t.Fatal(err)
	}
	if got := f.Port(); got != 40123 {
		t.Errorf("want 40123, got %d", got)
	}
	for _, damaged := range []string{"", "x", "-1", "65536", "99999999999999999999"} {
		write(t, f.Join(portFile), damaged)
		if got := f.Port(); got != 0 {
			t.Errorf("damaged file %q: want 0, got %d", damaged, got)
		}
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
