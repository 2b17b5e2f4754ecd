// SPDX-License-Identifier: Apache-2.0

package golangci

import (
	"context"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/codecheck"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/source/goscan"
	"golang.org/x/tools/go/analysis"
)

// Settings configure the linter.
type Settings struct {
	// Catalogs are files and folders with catalogs, relative to the folder of the module; without one the checks that need none run.
	Catalogs []string `json:"catalogs"`
	// Disable are the ids of checks to leave out.
	Disable []string `json:"disable"`
}

// modules are the findings of modules, by their folders. Each module is read once.
type modules struct {
	Settings
	mu    sync.Mutex
	known map[string]*findings
}

// findings holds the findings of one module, by file.
type findings struct {
	once   sync.Once
	byFile map[string][]*check.Finding
	err    error
}

// NewAnalyzer returns the analyzer.
func NewAnalyzer(s Settings) *analysis.Analyzer {
	m := &modules{Settings: s, known: map[string]*findings{}}
	return &analysis.Analyzer{Name: "tristate", Doc: "holds the conditions that code writes to the catalogs that declare them\n\nThe checks " +
		"are those of tristate check --source.",
		URL: "https://github.com/tristate/tristate/tree/main/docs/checks", Run: m.run}
}

func (m *modules) run(pass *analysis.Pass) (any, error) {
	for _, file := range pass.Files {
		place := pass.Fset.File(file.FileStart)
		if place == nil {
			continue
		}
		name, err := filepath.EvalSymlinks(place.Name())
		if err != nil {
			continue // made by the build, as for cgo
		}
		root := moduleOf(filepath.Dir(name))
		if root == "" {
			continue
		}
		all, err := m.of(root)
		if err != nil {
			return nil, err
		}
		for _, f := range all[name] {
			pass.Report(analysis.Diagnostic{Pos: position(place, f.Position.Line, f.Position.Column), Category: f.Check.ID,
				Message: fmt.Sprintf("%s: %s (%s)", f.Check.ID, f.Message, f.Remedy())})
		}
	}
	return nil, nil
}

// of returns the findings of a module.
func (m *modules) of(root string) (map[string][]*check.Finding, error) {
	m.mu.Lock()
	f := m.known[root]
	if f == nil {
		f = &findings{}
		m.known[root] = f
	}
	m.mu.Unlock()
	f.once.Do(func() { f.byFile, f.err = m.check(root) })
	return f.byFile, f.err
}

// check runs the checks over a module.
func (m *modules) check(root string) (map[string][]*check.Finding, error) {
	e := evidence.New()
	for _, path := range m.Catalogs {
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		if err := e.Read([]string{path}, nil); err != nil {
			return nil, err
		}
	}
	scan, err := goscan.Scan(context.Background(), root, goscan.Options{})
	if err != nil {
		return nil, err
	}
	e.Scanned(root, scan)
	e.Join(nil)
	var checks []*check.Check
	for _, c := range codecheck.All {
		if !slices.Contains(m.Disable, c.ID) {
			checks = append(checks, c)
		}
	}
	out := map[string][]*check.Finding{}
	for _, f := range check.Run(e, checks, check.Options{Now: time.Now(), Exceptions: e.Exceptions}).Findings(check.Warning) {
		name := f.Position.File
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, name)
		}
		out[name] = append(out[name], f)
	}
	return out, nil
}

// position returns the place of a line and column in a file.
func position(file *token.File, line, column int) token.Pos {
	if line < 1 || line > file.LineCount() {
		return file.Pos(0)
	}
	at := file.LineStart(line) + token.Pos(max(column-1, 0))
	if end := token.Pos(file.Base() + file.Size()); at > end {
		return end
	}
	return at
}

// moduleOf returns the folder of the module that encloses a folder; empty without one.
func moduleOf(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			return ""
		}
		dir = above
	}
}
