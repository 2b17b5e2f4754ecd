// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
)

// Object is one object with its file and line.
type Object struct {
	Content map[string]any
	File    string
	Line    int // of its document, or of the item in a JSON list, from 1
}

// Error is a fault in a file. Line is 0 where it concerns the whole file.
type Error struct {
	File string
	Line int
	Err  error
}

// Error returns file:line: the fault.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// limit is the largest size of a decompressed file: half a gigabyte, a dump of about a hundred thousand objects.
const limit = 512 << 20

// Read reads files, folders and, as "-", standard input. It returns the objects in the order of paths, of names in folders and of places in
// files, and all errors in the same order.
func Read(paths []string, stdin io.Reader) ([]Object, []*Error) {
	var r reader
	for _, path := range paths {
		if path == "-" {
			data, err := io.ReadAll(stdin)
			r.file("standard input", data, err, false)
			continue
		}
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			r.open(path, err, false)
			continue
		}
		if path, err = filepath.EvalSymlinks(path); err != nil { // a walk does not follow its root
			r.open(path, err, false)
			continue
		}
		_ = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error { // every error goes to r
			if err != nil || !entry.IsDir() && holdsObjects(name) {
				r.open(name, err, true)
			}
			return nil
		})
	}
	return r.objects, r.errors
}

// Parse reads the objects of one file.
func Parse(file string, data []byte) ([]Object, []*Error) {
	var r reader
	r.file(file, data, nil, false)
	return r.objects, r.errors
}

func holdsObjects(name string) bool {
	ext := filepath.Ext(strings.TrimSuffix(name, ".gz"))
	return slices.Contains([]string{".yaml", ".yml", ".json"}, ext)
}

// reader collects objects and errors.
type reader struct {
	objects []Object
	errors  []*Error
	unnamed map[string]int // objects without a name, by the name that they get
}

func (r *reader) fail(file string, line int, err error) {
	r.errors = append(r.errors, &Error{file, line, err})
}

func (r *reader) open(name string, err error, lenient bool) {
	var data []byte
	if err == nil {
		data, err = os.ReadFile(name)
	}
	r.file(name, data, err, lenient)
}

func (r *reader) file(name string, data []byte, err error, lenient bool) {
	if err == nil {
		data, err = plain(data)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the error repeats the name
	}
	if err != nil {
		r.fail(name, 0, err)
		return
	}
	r.documents(name, data, lenient)
}

// plain returns data decompressed and in UTF-8.
func plain(data []byte) ([]byte, error) {
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("decompress: %w", err)
		}
		if data, err = io.ReadAll(io.LimitReader(z, limit+1)); err != nil {
			return nil, fmt.Errorf("decompress: %w", err)
		}
		if len(data) > limit {
			return nil, fmt.Errorf("decompress: it holds more than %d MiB: unpack it first", limit>>20)
		}
	}
	switch {
	case len(data) > 262 && string(data[257:262]) == "ustar":
		return nil, fmt.Errorf("is a tar archive: unpack it first")
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		units := make([]uint16, 0, len(data)/2)
		for i := 2; i+1 < len(data); i += 2 {
			if data[0] == 0xff {
				units = append(units, uint16(data[i])|uint16(data[i+1])<<8)
			} else {
				units = append(units, uint16(data[i])<<8|uint16(data[i+1]))
			}
		}
		data = []byte(string(utf16.Decode(units)))
	}
	return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), nil
}
