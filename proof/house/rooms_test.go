// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// parts are the headings below "Rooms" in docs/architecture.md, from the bottom up. A room imports rooms of its own part and of earlier
// ones.
var parts = []string{"Declare", "Fleet", "Write", "Check", "Export", "Prove", "Command line", "Prove with the command"}

// folders are the folders of the parts.
var folders = []string{"internal/declare", "internal/fleet", "internal/write", "internal/check", "internal/export", "proof", "internal/cli", "proof"}

var (
	roomsSection = regexp.MustCompile(`(?ms)^## Rooms$(.*?)^## `)
	roomLine     = regexp.MustCompile("(?m)^(?:### (.+)|- `([^`]+)`: .+)$")
	walkLine     = regexp.MustCompile("(?m)^\\| [^|]+ \\| `([\\w/.]+\\.go)` \\| (`[\\w.]+`(?:, `[\\w.]+`)*) \\|$")
	pageFile     = regexp.MustCompile("`([\\w./-]+/[\\w.-]+\\.(?:go|md|yaml|tsv))`")
)

func architecture(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// described returns the part of each room that has a paragraph in docs/architecture.md, as an index of parts.
func described(t *testing.T) map[string]int {
	t.Helper()
	out, part := map[string]int{}, -1
	for _, m := range roomLine.FindAllStringSubmatch(roomsSection.FindString(architecture(t)), -1) {
		if m[1] != "" {
			if part = slices.Index(parts, m[1]); part < 0 {
				t.Errorf("docs/architecture.md: %q is no part of the house; they are %q", m[1], parts)
			}
			continue
		}
		if _, twice := out[m[2]]; twice {
			t.Errorf("docs/architecture.md has two paragraphs about %s", m[2])
		}
		top, _, _ := strings.Cut(m[2], "/")
		if folder := folders[part]; (top == "internal" || top == "proof") && m[2] != folder && !strings.HasPrefix(m[2], folder+"/") {
			t.Errorf("docs/architecture.md: %s is below %s, its folder is not %s", m[2], parts[part], folder)
		}
		out[m[2]] = part
	}
	return out
}

// TestRooms: each package below internal and proof has a paragraph in docs/architecture.md, its own or that of the folder above it, each
// paragraph has a package, and no import leads to a later part.
func TestRooms(t *testing.T) {
	rooms, packages := described(t), list(t, "./internal/...", "./proof/...", "./tools/...")
	partOf := func(name string) (room string, part int, ok bool) {
		for room = name; room != "."; room = path.Dir(room) {
			if part, ok = rooms[room]; ok {
				return room, part, true
			}
		}
		return "", 0, false
	}
	used := map[string]bool{}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		room, here, ok := partOf(name)
		if used[room] = true; !ok {
			if top, _, _ := strings.Cut(name, "/"); (top == "internal" || top == "proof") && !strings.Contains(name, "/testdata/") {
				t.Errorf("docs/architecture.md has no paragraph about %s: add it below Rooms, to what it is for", name)
			}
			continue
		}
		for _, imported := range p.Imports {
			other, ours := strings.CutPrefix(imported, module+"/")
			if _, there, ok := partOf(other); ours && ok && there > here {
				t.Errorf("%s (%s) imports %s (%s): a part uses itself and earlier ones, see docs/architecture.md", name, parts[here], other,
					parts[there])
			}
		}
	}
	for room := range rooms {
		if !used[room] {
			t.Errorf("docs/architecture.md has a paragraph about %s, which is no package", room)
		}
	}
}

// TestWalks: the files that docs/architecture.md names exist, and the files of its walks declare the functions next to them.
func TestWalks(t *testing.T) {
	page, root := architecture(t), filepath.Join("..", "..")
	for _, m := range pageFile.FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Errorf("docs/architecture.md names %s, which does not exist", m[1])
		}
	}
	steps := walkLine.FindAllStringSubmatch(page, -1)
	if lengths := strings.Count(page, " functions in "); len(steps) < 3*8 || lengths < 3 {
		t.Errorf("docs/architecture.md has %d steps in its walks and %d lengths, three walks have more", len(steps), lengths)
	}
	for _, step := range steps {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, step[1]), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		var declared []string
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				declared = append(declared, nameOf(f))
			}
		}
		for _, name := range strings.Split(strings.ReplaceAll(step[2], "`", ""), ", ") {
			if !slices.Contains(declared, name) {
				t.Errorf("docs/architecture.md: %s declares no %s", step[1], name)
			}
		}
	}
}

// nameOf returns the name of a function, of a method with its type: Pass.Commit.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	switch generic := typ.(type) {
	case *ast.IndexExpr:
		typ = generic.X
	case *ast.IndexListExpr:
		typ = generic.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name + "." + f.Name.Name
	}
	return f.Name.Name
}
