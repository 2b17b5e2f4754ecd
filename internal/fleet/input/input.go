// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tristate/tristate/examples/shop"
)

// examples are the dumps that come with the command, by name.
var examples = map[string][]byte{"shop": shop.Dump}

// Object is one object with its file and line.
type Object struct {
	Content map[string]any
	File    string
	Line    int // of its document, or of the item in a list, from 1
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

// Reader reads objects one after the other. Its memory is bounded by the largest object, not by the files.
type Reader struct {
	// Stdin is read for the path "-".
	Stdin io.Reader
	// Skip are fields that are not decoded, by their paths: [metadata managedFields fieldsV1]. A path goes through every item of a list.
	Skip [][]string
	// Stop ends reading once it returns true, in the middle of a file; nil never does.
	Stop func() bool
}

// Each reads files, folders, standard input as "-", and "example:shop", a dump that comes with the command. It calls found for the objects
// in the order of paths, of names in folders and of places in files, and returns all errors in the same order.
func (r Reader) Each(paths []string, found func(Object)) []*Error {
	return run(r, found, func(s *splitter) {
		for _, path := range paths {
			if s.stop() {
				return
			}
			if path == "-" {
				s.file("standard input", r.Stdin, false)
				continue
			}
			if name, named := strings.CutPrefix(path, "example:"); named {
				s.example(path, name)
				continue
			}
			if scheme, _, remote := strings.Cut(path, "://"); remote {
				s.fail(path, 0, fmt.Errorf("%s is not read: download the file, or pipe it into -f -", scheme))
				continue
			}
			info, err := os.Stat(path)
			if err != nil || !info.IsDir() {
				s.open(path, err, false)
				continue
			}
			if path, err = filepath.EvalSymlinks(path); err != nil { // a walk does not follow its root
				s.open(path, err, false)
				continue
			}
			_ = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error { // every error goes to s
				if s.stop() {
					return fs.SkipAll
				}
				if err != nil || !entry.IsDir() && holdsObjects(name) {
					s.open(name, err, true)
				}
				return nil
			})
		}
	})
}

// Read returns the objects that [Reader.Each] finds.
func Read(paths []string, stdin io.Reader) (objects []Object, errs []*Error) {
	errs = Reader{Stdin: stdin}.Each(paths, func(o Object) { objects = append(objects, o) })
	return objects, errs
}

// Parse reads the objects of one file.
func Parse(file string, data []byte) (objects []Object, errs []*Error) {
	return Reader{}.Parse(file, data)
}

// Parse is like the function, with Skip and Stop.
func (r Reader) Parse(file string, data []byte) (objects []Object, errs []*Error) {
	errs = run(r, func(o Object) { objects = append(objects, o) }, func(s *splitter) { s.file(file, bytes.NewReader(data), false) })
	return objects, errs
}

// holdsObjects reports whether a file of a folder is read: a JSON Schema, as init writes one for editors, is not.
func holdsObjects(name string) bool {
	ext := filepath.Ext(strings.TrimSuffix(name, ".gz"))
	return slices.Contains([]string{".yaml", ".yml", ".json"}, ext) && !strings.HasSuffix(name, ".schema.json")
}

// example reads a dump that comes with the command.
func (s *splitter) example(path, name string) {
	data, known := examples[name]
	if !known {
		s.fail(path, 0, fmt.Errorf("there is no such example: use one of %s", strings.Join(slices.Sorted(maps.Keys(examples)), ", ")))
		return
	}
	s.file(path, bytes.NewReader(data), false)
}

// open reads a file by its name; err is the error of finding it.
func (s *splitter) open(name string, err error, lenient bool) {
	var f *os.File
	if err == nil {
		f, err = os.Open(name)
	}
	if err != nil {
		s.fail(name, 0, err)
		return
	}
	defer f.Close()
	s.file(name, f, lenient)
}

// file reads a file. In a lenient one documents that are no objects are skipped.
func (s *splitter) file(name string, from io.Reader, lenient bool) {
	s.name, s.lenient = name, lenient
	plain, err := plainText(&stoppable{from, s.stop})
	if err != nil {
		s.fail(name, 0, err)
		return
	}
	t := newStream(plain)
	for more := true; more; more = t.next() {
		s.document(t.document())
	}
	if t.err != nil {
		s.fail(name, 0, t.err)
	}
}

// fail reports an error. That of a path leaves out the name, which is reported already.
func (s *splitter) fail(file string, line int, err error) {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	s.send(part{form: fault, file: file, line: line, err: err})
}
