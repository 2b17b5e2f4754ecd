// SPDX-License-Identifier: Apache-2.0

package treescan

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/source"
	"github.com/tristate/tristate/internal/declare/source/grammar"
)

// tongue is a language that is scanned, with the grammar of each of its suffixes.
type tongue struct {
	name   string
	suffix map[string]grammar.Language
}

var tongues = []tongue{
	{"JavaScript", map[string]grammar.Language{".js": grammar.TSX, ".jsx": grammar.TSX, ".mjs": grammar.TSX}},
	{"Python", map[string]grammar.Language{".py": grammar.Python}},
	{"Rust", map[string]grammar.Language{".rs": grammar.Rust}},
	{"TypeScript", map[string]grammar.Language{".ts": grammar.TypeScript, ".tsx": grammar.TSX}},
}

const maxFile = 4 << 20 // bytes; a larger file is generated

// skipped are folders without code of the program itself.
var skipped = []string{"tests", "test", "target", "node_modules", "vendor", "testdata", "benches", "fuzz", "__tests__", "__mocks__",
	"__fixtures__", "fixtures", "mocks", "dist"}

// Scan scans the files below a folder, a scan a language. Sites are in the order of files and places. The languages of a folder are read
// together: what is found is independent of the order of files.
func Scan(ctx context.Context, root string) ([]*source.Scan, error) {
	root, err := filepath.EvalSymlinks(root) // a walk does not follow its root
	if err != nil {
		return nil, err
	}
	files := map[string][]string{} // by language
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch base := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && name != root && (slices.Contains(skipped, base) || strings.HasPrefix(base, ".")):
			return fs.SkipDir
		case entry.IsDir() || isTest(base):
		default:
			for _, t := range tongues {
				if t.suffix[filepath.Ext(base)] != "" {
					files[t.name] = append(files[t.name], name)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("scan %s: %w", root, err)
	}
	if len(files) == 0 {
		return nil, nil
	}
	parser, err := grammar.New(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = parser.Close(ctx) }() // frees memory only
	var out []*source.Scan
	for _, t := range tongues {
		if len(files[t.name]) == 0 {
			continue
		}
		scan := &source.Scan{Root: root, Language: t.name}
		index := newIndex(t.name)
		for _, name := range files[t.name] {
			if err := read(ctx, parser, t, name, scan, index); err != nil {
				return nil, err
			}
		}
		if err := index.finish(scan); err != nil {
			return nil, err
		}
		index.sites(scan)
		out = append(out, scan)
	}
	return out, nil
}

func isTest(base string) bool {
	name := strings.TrimSuffix(base, filepath.Ext(base))
	return slices.Contains([]string{"tests", "test", "conftest", "fixtures", "mocks"}, name) || strings.HasSuffix(name, ".test") ||
		strings.HasSuffix(name, ".spec") ||
		strings.HasSuffix(name, "_test") || strings.HasSuffix(name, "_tests") || strings.HasPrefix(name, "test_") ||
		strings.HasSuffix(name, ".stories") || strings.HasSuffix(name, ".d")
}

// read parses a file and adds it to the index.
func read(ctx context.Context, parser *grammar.Parser, t tongue, name string, scan *source.Scan, index *index) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	shown := filepath.ToSlash(name)
	if info.Size() > maxFile {
		scan.Faults = append(scan.Faults, fmt.Sprintf("%s has %d MiB and was not read", shown, info.Size()>>20))
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text := string(data)
	scan.Lines += strings.Count(text, "\n") + 1
	language := t.suffix[filepath.Ext(name)]
	tree, err := parser.Parse(ctx, language, text)
	if err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	tree.Name = shown
	for n := range tree.Root.All(nil) {
		if tree.Broken > 0 && n.Kind == "ERROR" && strings.Contains(n.Text(), "reason") {
			scan.Faults = append(scan.Faults, fmt.Sprintf("%s is no %s: the reasons that it gives were not read", at(n), t.name))
		}
	}
	f := &file{name: shown, tree: tree, parse: func(text string) (*grammar.Tree, error) { return parser.Parse(ctx, language, text) }}
	index.add(f)
	return nil
}

// at returns the place of a node.
func at(n *grammar.Node) catalog.Position {
	name, line, column := n.Position()
	return catalog.Position{File: name, Line: line, Column: column}
}
