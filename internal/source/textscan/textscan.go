// SPDX-License-Identifier: Apache-2.0

// Package textscan reads code of languages other than Go as text: Rust first, then TypeScript, JavaScript and Python. It knows string
// constants, and the places where a reason is written: a field or key called reason in a literal, and a call of a function whose name ends in
// reason. A name in such a place is looked up among the constants of the folder; anything else is reported as not resolved.
//
//	pub const SPEC_INVALID: &str = "SpecInvalid";
//	Condition { type_: "Ready".into(), status: "False".into(), reason: SPEC_INVALID.to_string(), .. }
//	json!({"type": "Ready", "status": "False", "reason": "SpecInvalid"})
//
// Type and status are those of the same literal, found by its braces. Comments and tests (a folder or module called tests) are left out. It
// follows no calls: a helper with a parameter called reason is a wrapper, and the strings that are given to a function of its name are
// sites. Of a function that returns a string, as one that maps errors to reasons does, every arm and every last line is a value that a call of it can
// have.
package textscan

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/source"
)

var languages = map[string]string{".rs": "Rust", ".ts": "TypeScript", ".js": "JavaScript", ".py": "Python"}

const maxFile = 4 << 20 // bytes; a larger file is generated

var (
	constant = regexp.MustCompile(`(?m)^\s*(?:pub(?:\([a-z]+\))?\s+|export\s+)?(?:const|static|let)?\s*([A-Z][A-Za-z0-9_]*)\s*(?::\s*[^=\n]+)?=\s*["']([^"'\n]*)["']`)
	place    = regexp.MustCompile(`["']?\b(reason)["']?\s*[:=]\s*([^,;\n}]+)|\.(?:with_|set_)?reason\(\s*([^()\n]*(?:\([^()]*\))?)\)`)
	quoted   = regexp.MustCompile(`^(?:Some\(|String::from\(|str\()*\s*["']([^"'\n]*)["']`)
	name     = regexp.MustCompile(`^&?(?:[a-zA-Z_][A-Za-z0-9_]*(?:::|\.))*([A-Z][A-Za-z0-9_]*)\b`)
	kindKey  = regexp.MustCompile(`["']?\b(?:type_|type|r#type)["']?\s*[:=]\s*([^,;\n}]+)`)
	state    = regexp.MustCompile(`["']?\bstatus["']?\s*[:=]\s*([^,;\n}]+)`)
	wrapper  = regexp.MustCompile(`(?m)\bfn\s+([a-z_0-9]+)\s*(?:<[^>]*>)?\(([^)]*\breason\s*:[^)]*)\)`)
	tests    = regexp.MustCompile(`(?m)^#\[cfg\(test\)\]`)
	mapping  = regexp.MustCompile(`(?m)\bfn\s+([a-z_0-9]+)\s*(?:<[^>]*>)?\([^)]*\)\s*->\s*(?:&(?:'static )?str|String)\s*\{`)
	arm      = regexp.MustCompile(`(?m)(?:=>|\breturn)[ \t]*([^,;\n{}]+)|^[ \t]*((?:"[^"\n]*"|[A-Za-z_:]*\b[A-Z][A-Z0-9_]+)(?:\.(?:into|to_string|to_owned)\(\))?)[ \t]*$`)
	called   = regexp.MustCompile(`^(?:[A-Za-z_]+(?:::|\.))*([a-z_0-9]+)\(`)
	macro    = regexp.MustCompile(`^(?:&?str|String|Option<|&'static str|impl )`)
)

// Scan scans the files below a folder, a scan a language. Sites are in the order of files and places.
func Scan(root string) ([]*source.Scan, error) {
	root, err := filepath.EvalSymlinks(root) // a walk does not follow its root
	if err != nil {
		return nil, err
	}
	by := map[string]*source.Scan{}
	texts := map[string]map[string]string{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := entry.Name(); entry.IsDir() {
			if path != root && (slices.Contains([]string{"tests", "test", "target", "node_modules", "vendor", "testdata"}, base) || strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		language := languages[filepath.Ext(path)]
		info, err := entry.Info()
		if language == "" || err != nil || strings.HasSuffix(path, ".test.ts") || strings.HasSuffix(path, "_test.py") {
			return nil
		}
		scan := by[language]
		if scan == nil {
			scan = &source.Scan{Root: root, Language: language}
			by[language], texts[language] = scan, map[string]string{}
		}
		name := filepath.ToSlash(path)
		if info.Size() > maxFile {
			scan.Faults = append(scan.Faults, fmt.Sprintf("%s has %d MiB and was not read", name, info.Size()>>20))
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		texts[language][name] = plain(string(data), language)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("scan %s: %w", root, err)
	}
	var out []*source.Scan
	for language, scan := range by {
		scanTexts(scan, texts[language])
		out = append(out, scan)
	}
	slices.SortFunc(out, func(a, b *source.Scan) int { return strings.Compare(a.Language, b.Language) })
	return out, nil
}

// plain blanks comments and cuts a Rust file at its tests; places stay as they are.
func plain(text, language string) string {
	if language == "Rust" {
		if at := tests.FindStringIndex(text); at != nil {
			text = text[:at[0]]
		}
	}
	mark := "//"
	if language == "Python" {
		mark = "#"
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if at := strings.Index(line, mark); at >= 0 && strings.Count(line[:at], `"`)%2 == 0 {
			lines[i] = line[:at]
		}
	}
	return strings.Join(lines, "\n")
}

func scanTexts(scan *source.Scan, files map[string]string) {
	constants := map[string]string{}
	var order []string
	for file := range files {
		order = append(order, file)
	}
	slices.Sort(order)
	wrappers := map[string]int{}      // name to position of the parameter
	mappings := map[string][]string{} // name of a function that returns a string, to the values of its arms
	for _, file := range order {
		text := files[file]
		scan.Lines += strings.Count(text, "\n") + 1
		for _, m := range constant.FindAllStringSubmatchIndex(text, -1) {
			c := source.Const{Position: at(file, text, m[2]), Name: text[m[2]:m[3]], Value: text[m[4]:m[5]]}
			constants[c.Name] = c.Value
			scan.Consts = append(scan.Consts, c)
		}
		for _, m := range mapping.FindAllStringSubmatchIndex(text, -1) {
			for _, found := range arm.FindAllStringSubmatch(around(text, m[1]), -1) {
				if expr := strings.TrimSpace(found[1] + found[2]); expr != "" { // otherwise a block, whose last line counts
					mappings[text[m[2]:m[3]]] = append(mappings[text[m[2]:m[3]]], expr)
				}
			}
		}
		for _, m := range wrapper.FindAllStringSubmatch(text, -1) {
			for i, p := range parameters(m[2]) {
				if strings.HasPrefix(p, "reason") {
					wrappers[m[1]] = i
				}
			}
		}
	}
	for _, file := range order {
		scanFile(scan, file, files[file], constants, wrappers, mappings)
	}
}

// parameters splits a parameter list, without the receiver.
func parameters(list string) []string {
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" && part != "self" && part != "&self" && part != "&mut self" {
			out = append(out, part)
		}
	}
	return out
}

func scanFile(scan *source.Scan, file, text string, constants map[string]string, wrappers map[string]int, mappings map[string][]string) {
	value := func(expr string, offset int) source.Value {
		expr = strings.TrimSpace(expr)
		v := source.Value{Expr: expr, How: source.Unknown, Position: at(file, text, offset)}
		if m := quoted.FindStringSubmatch(expr); m != nil {
			v.Text, v.How = m[1], source.Constant
		} else if m := name.FindStringSubmatch(expr); m != nil {
			if text, ok := constants[m[1]]; ok {
				v.Text, v.How = text, source.Constant
			}
		} else if strings.HasPrefix(expr, "format!") || strings.HasPrefix(expr, "f\"") || strings.HasPrefix(expr, "`") {
			v.How = source.Computed
		}
		if strings.HasSuffix(expr, ".reason") || strings.Contains(expr, ".reason.") {
			v.How = source.Forwarded
		}
		return v
	}
	values := func(expr string, offset int) []source.Value {
		v := value(expr, offset)
		m := called.FindStringSubmatch(v.Expr)
		if v.How != source.Unknown || m == nil || len(mappings[m[1]]) == 0 {
			return []source.Value{v}
		}
		var out []source.Value
		for _, one := range mappings[m[1]] {
			out = append(out, value(one, offset))
		}
		return out
	}
	for _, m := range place.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[4], m[5]
		if from < 0 {
			from, to = m[6], m[7]
		}
		expr := text[from:to]
		if from < 0 || macro.MatchString(strings.TrimSpace(expr)) || strings.HasPrefix(strings.TrimSpace(expr), "=") {
			continue // a declared field or parameter, a comparison
		}
		literal := around(text, m[0])
		kind := kindKey.FindStringSubmatch(literal)
		if kind == nil {
			continue // an event, or something else with a reason
		}
		site := &source.Site{Position: at(file, text, from), In: file, Reason: values(expr, from), Types: []source.Value{value(kind[1], from)}}
		if s := state.FindStringSubmatch(literal); s != nil {
			site.Statuses = []source.Value{value(s[1], from)}
		}
		if strings.TrimSpace(expr) == "reason" || strings.HasPrefix(strings.TrimSpace(expr), "reason.") {
			continue // a wrapper: its callers are the sites
		}
		scan.Sites = append(scan.Sites, site)
	}
	for wrapperName, index := range wrappers {
		call := regexp.MustCompile(`\b` + regexp.QuoteMeta(wrapperName) + `\(`)
		for _, m := range call.FindAllStringIndex(text, -1) {
			if strings.HasSuffix(strings.TrimRight(text[:m[0]], " "), "fn") {
				continue
			}
			args, offsets := arguments(text, m[1])
			if index < len(args) {
				scan.Sites = append(scan.Sites, &source.Site{Position: at(file, text, offsets[index]), In: file, Reason: values(args[index], offsets[index])})
			}
		}
	}
	slices.SortStableFunc(scan.Sites, func(a, b *source.Site) int {
		if c := strings.Compare(a.Position.File, b.Position.File); c != 0 {
			return c
		}
		return a.Position.Line - b.Position.Line
	})
}

// around returns the innermost literal in braces around an offset.
func around(text string, offset int) string {
	from, depth := offset, 0
	for ; from > 0 && offset-from < 4000; from-- {
		switch text[from-1] {
		case '}':
			depth++
		case '{':
			depth--
		}
		if depth < 0 {
			break
		}
	}
	to := offset
	for depth = 0; to < len(text) && to-offset < 4000; to++ {
		switch text[to] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth < 0 {
			break
		}
	}
	return text[from:to]
}

// arguments splits the arguments of a call that begin at an offset.
func arguments(text string, from int) (args []string, offsets []int) {
	depth, start, inside := 0, from, false
	for i := from; i < len(text) && i-from < 4000; i++ {
		switch c := text[i]; {
		case c == '"':
			inside = !inside
		case inside:
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case c == ')' && depth == 0, c == ',' && depth == 0:
			if arg := strings.TrimSpace(text[start:i]); arg != "" {
				args, offsets = append(args, arg), append(offsets, start+len(text[start:i])-len(strings.TrimLeft(text[start:i], " \n\t")))
			}
			if c == ')' {
				return args, offsets
			}
			start = i + 1
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
	}
	return args, offsets
}

func at(file, text string, offset int) catalog.Position {
	line := 1 + strings.Count(text[:offset], "\n")
	return catalog.Position{File: file, Line: line, Column: offset - strings.LastIndexByte(text[:offset], '\n')}
}
