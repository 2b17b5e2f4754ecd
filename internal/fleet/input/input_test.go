// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the expected answers again")

// describe returns a line for each object and each error.
func describe(objects []Object, errs []*Error, dir string) string {
	var b strings.Builder
	for _, o := range objects {
		metadata, _ := o.Content["metadata"].(map[string]any)
		fmt.Fprintf(&b, "%s:%d: %v %v %v", strings.TrimPrefix(o.File, dir+"/"), o.Line, o.Content["apiVersion"], o.Content["kind"],
			metadata["name"])
		if spec, ok := o.Content["spec"]; ok {
			data, err := json.Marshal(spec)
			fmt.Fprintf(&b, " %s%v", data, map[bool]any{true: "", false: err}[err == nil])
		}
		b.WriteByte('\n')
	}
	for _, err := range errs {
		b.WriteString("error: " + strings.TrimPrefix(err.Error(), dir+"/") + "\n")
	}
	return b.String()
}

// TestRead reads the files of each testdata/*.txtar: the folder "in", or the paths that the comment names. The file "want" has the result.
func TestRead(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no test data", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			at := -1
			for i, file := range archive.Files {
				if file.Name == "want" {
					at = i
					continue
				}
				name := filepath.Join(dir, file.Name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, file.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			paths := []string{filepath.Join(dir, "in")}
			if words := strings.Fields(string(archive.Comment)); len(words) > 0 {
				paths = nil
				for _, word := range words {
					paths = append(paths, filepath.Join(dir, word))
				}
			}
			objects, errs := Read(paths, nil)
			got := describe(objects, errs, dir)
			if at < 0 {
				archive.Files = append(archive.Files, txtar.File{Name: "want"})
				at = len(archive.Files) - 1
			}
			if *update {
				archive.Files[at].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(archive.Files[at].Data), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

const one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

func compressed(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(data)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestEncodings(t *testing.T) {
	little, big := []byte{0xff, 0xfe}, []byte{0xfe, 0xff}
	for _, u := range utf16.Encode([]rune(one)) {
		little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
	}
	tar := make([]byte, 512)
	copy(tar[257:], "ustar")
	good := "f:1: v1 ConfigMap a\n"
	tests := map[string]struct {
		data []byte
		want string
	}{
		"plain":              {[]byte(one), good},
		"windows line ends":  {[]byte(strings.ReplaceAll(one, "\n", "\r\n")), good},
		"byte order mark":    {append([]byte("\xef\xbb\xbf"), one...), good},
		"UTF-16":             {little, good},
		"UTF-16, big end":    {big, good},
		"gzip":               {compressed(t, []byte(one)), good},
		"gzip, cut":          {compressed(t, []byte(one))[:30], "error: f: decompress: unexpected EOF\n"},
		"tar":                {tar, "error: f: is a tar archive: unpack it first\n"},
		"compressed tar":     {compressed(t, tar), "error: f: is a tar archive: unpack it first\n"},
		"nothing":            {nil, ""},
		"only a comment":     {[]byte("# nothing\n---\n"), ""},
		"not YAML, not text": {[]byte{0, 1, 2, 3}, "error: f:1: not YAML: control characters are not allowed\n"},
		"text":               {[]byte("hello\n"), "error: f:1: not an object but text\n"},
		"a wide number": {[]byte(`{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"spec":1e999}`),
			"error: f:1: not JSON: number 1e999 is out of range\n"},
		"numbers":              {[]byte(one + "spec: [1, 1.5, 9007199254740993]\n"), "f:1: v1 ConfigMap a [1,1.5,9007199254740993]\n"},
		"a time without quote": {[]byte(one + "spec: 2026-01-02T03:04:05Z\n"), "f:1: v1 ConfigMap a \"2026-01-02T03:04:05Z\"\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			objects, errs := Parse("f", test.data)
			if diff := cmp.Diff(test.want, describe(objects, errs, "")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestStandardInput(t *testing.T) {
	objects, errs := Read([]string{"-", "absent"}, strings.NewReader(one))
	if len(objects) != 1 || objects[0].File != "standard input" {
		t.Errorf("got %v", objects)
	}
	if len(errs) != 1 || !errors.Is(errs[0], fs.ErrNotExist) {
		t.Errorf("got %v, want that a file is absent", errs)
	}
}

// FuzzParse: no input panics, every line is in the file, and the good documents before and after a bad one are read.
func FuzzParse(f *testing.F) {
	archives, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range archives {
		if archive, err := txtar.ParseFile(path); err == nil {
			for _, file := range archive.Files {
				f.Add(file.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		objects, errs := Parse("f", data)
		lines := bytes.Count(data, []byte("\n")) + 1
		for _, o := range objects {
			if o.Line < 1 || o.Line > lines {
				t.Errorf("object at line %d of %d", o.Line, lines)
			}
		}
		for _, err := range errs {
			if err.Line < 0 || err.Line > lines+1 {
				t.Errorf("%v: %d lines", err, lines)
			}
		}
		if bytes.HasPrefix(data, []byte("\x1f\x8b")) || bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) ||
			len(data) > 250 {
			return
		}
		around, _ := Parse("f", fmt.Appendf(nil, "%s---\n%s\n---\n%s", one, data, one))
		if len(around) != len(objects)+2 {
			t.Errorf("%d objects around, %d inside", len(around), len(objects))
		}
	})
}
