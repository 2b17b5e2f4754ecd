// SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// habit is a turn of phrase that makes a sentence foreign or empty.
type habit struct {
	name   string
	found  func(passage) int // how often a passage has it
	advice string
}

// passage is a comment, a string or a paragraph of a page, on one line.
type passage struct {
	text    string
	comment bool
	line    int
}

var habits = []habit{
	{"that-of", func(p passage) int {
		return matches(p.text, thatOf) - matches(p.text, thanThatOf)
	}, "repeat the noun, or write it with 's"},
	{"defined-by-what", first(`^\w+ (is|are) (what|that|those)\b`), "name the thing: the sentence says no more than the name"},
	{"what", every(`(^|[.;:] )What [a-z]|\bwhat (is|was) \w+ed\b`), "name the thing"},
	{"none", every(`\b(is|are) none\b|\bnone of (it|its|ours)\b`), `write "is not a ..." or "there is no ..."`},
	{"archaic", every(`(?i)\b(but for|anew|besides|for ever|all the same|of late|be it)\b`),
		"write except, again, also, forever, anyway, recently, even if"},
	{"is-a-method", first(`^\w+ is a method of\b`), `write "implements ...", or nothing`},
	{"of-first", func(p passage) int {
		if p.comment && funcOf.MatchString(p.text) {
			return 0
		}
		return matches(p.text, ofFirst)
	}, "begin with the subject"},
	{"one-that", every(`(^|[.!?] )One that\b`), "repeat the noun"},
	{"long", sentences(func(s string) bool { return len(strings.Fields(s)) > 30 }), "at most 30 words a sentence"},
	{"semicolons", sentences(func(s string) bool { return strings.Count(s, "; ") > 1 }), "at most one semicolon a sentence"},
}

var (
	thatOf     = regexp.MustCompile(`\b(that|those) of\b`)
	ofFirst    = regexp.MustCompile(`(^|[.!?] )Of (?:[a-z]+ )*[a-zA-Z]+\b[^.]* (is|are|the|only)\b`)
	funcOf     = regexp.MustCompile(`^Of returns\b`) // the comment of a function with that name
	thanThatOf = regexp.MustCompile(`\b(than|as|like) (that|those) of\b`)
	sentence   = regexp.MustCompile(`[.!?:](\s|$)|\s\|(\s|$)`) // a cell of a table is a sentence
	columns    = regexp.MustCompile(`\S {3,}\S`)               // a list of words and their meanings
	note       = regexp.MustCompile(`^note "(.*)"$`)           // prose of a story
	inCode     = regexp.MustCompile("`[^`]*`|\\([^)]*\\)")
	listItem   = regexp.MustCompile(`^(\s*([-*]|\d+\.)\s|\s*\||#|\s*<|\t| {4})`)
)

func matches(text string, pattern *regexp.Regexp) int { return len(pattern.FindAllString(text, -1)) }

// every returns a count of the matches of a pattern.
func every(pattern string) func(passage) int {
	compiled := regexp.MustCompile(pattern)
	return func(p passage) int { return matches(p.text, compiled) }
}

// first is like every, for comments.
func first(pattern string) func(passage) int {
	compiled := regexp.MustCompile(pattern)
	return func(p passage) int {
		if !p.comment {
			return 0
		}
		return matches(p.text, compiled)
	}
}

// sentences returns a count of the sentences that are too long; code and asides count as one word.
func sentences(long func(string) bool) func(passage) int {
	return func(p passage) int {
		n := 0
		for _, s := range sentence.Split(inCode.ReplaceAllString(p.text, "x"), -1) {
			if long(s) {
				n++
			}
		}
		return n
	}
}

// TestEnglish: no file has a habit more often than testdata/english allows, and that list only gets shorter: a number that is too high
// fails as well. -update writes it again. Tests, generated files and test data are not read.
func TestEnglish(t *testing.T) {
	list := filepath.Join("testdata", "english")
	allowed, got := map[string]int{}, map[string]int{}
	if data, err := os.ReadFile(list); err == nil {
		for line := range strings.Lines(string(data)) {
			key, number, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if allowed[key], err = strconv.Atoi(number); err != nil {
				t.Fatalf("%s: %q: %v", list, line, err)
			}
		}
	}
	places := map[string][]string{}
	walk(t, func(name string) bool { return isCode(name) && !isTest(name) || texts.MatchString(name) }, func(name string, data []byte) {
		if generated.Match(data) {
			return
		}
		for _, p := range passages(t, name, data) {
			for _, h := range habits {
				if n := h.found(p); n > 0 {
					key := name + " " + h.name
					got[key] += n
					places[key] = append(places[key], fmt.Sprintf("%s:%d: %s", name, p.line, h.advice))
				}
			}
		}
	})
	if *update {
		var lines []string
		for key, n := range got {
			lines = append(lines, fmt.Sprintf("%s\t%d\n", key, n))
		}
		slices.Sort(lines)
		if err := os.WriteFile(list, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for key, n := range got {
		if n > allowed[key] {
			t.Errorf("%s: %d, at most %d are allowed\n%s", key, n, allowed[key], strings.Join(places[key], "\n"))
		}
	}
	for key, n := range allowed {
		if got[key] < n {
			t.Errorf("%s: %d, testdata/english allows %d: run with -update", key, got[key], n)
		}
	}
}

// passages returns the comments and strings of a Go file, and the paragraphs and list items of any other.
func passages(t *testing.T, name string, data []byte) []passage {
	t.Helper()
	if !strings.HasSuffix(name, ".go") {
		return paragraphs(name, string(data))
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []passage
	for _, group := range file.Comments {
		for _, block := range paragraphs("", group.Text()) {
			block.comment, block.line = true, set.Position(group.Pos()).Line
			out = append(out, block)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.Contains(lit.Value, " ") {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, passage{text: text, line: set.Position(lit.Pos()).Line})
			}
		}
		return true
	})
	return out
}

// paragraphs joins the lines of a text that belong together. Blocks of code are left out. In YAML and txtar files only comments are prose,
// and the notes of stories. Markers such as +optional are no prose.
func paragraphs(name, text string) []passage {
	var out []passage
	var lines []string
	start, fenced := 0, false
	flush := func() {
		if len(lines) > 0 {
			out = append(out, passage{text: strings.Join(lines, " "), line: start})
		}
		lines = nil
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			flush()
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".txtar") {
			comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
			if !ok || columns.MatchString(line) {
				flush()
			}
			if said := note.FindStringSubmatch(line); said != nil {
				out = append(out, passage{text: said[1], line: n})
			}
			if !ok {
				continue
			}
			line = strings.TrimSpace(comment)
		}
		if strings.TrimSpace(line) == "" || listItem.MatchString(line) {
			flush()
		}
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "+") {
			continue
		}
		if len(lines) == 0 {
			start = n
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	flush()
	return out
}

// titled is the last commit before titles were held to the rule.
const titled = "e3a972d4"

// TestTitles: the titles of commits have at most 72 characters and are imperative, as far as their first word shows it.
func TestTitles(t *testing.T) {
	out, err := exec.Command("git", "log", "--no-merges", "--format=%h %s", titled+"..HEAD").Output()
	if err != nil {
		t.Skipf("the history is not here: %v", err)
	}
	statement := regexp.MustCompile(`^(a|an|the|no|of|what|one|each|every|all|it|its|this|that|there|two|three)$|(ed|ing)$|[^s]s$`)
	for line := range strings.Lines(string(out)) {
		hash, title, _ := strings.Cut(strings.TrimSpace(line), " ")
		words := title
		if _, after, scoped := strings.Cut(title, ": "); scoped {
			words = after
		}
		verb, _, _ := strings.Cut(strings.ToLower(words), " ")
		if len(title) > 72 || statement.MatchString(verb) && verb != "process" && verb != "embed" && verb != "need" && verb != "bring" {
			t.Errorf("%s %q: write an imperative of at most 72 characters", hash, title)
		}
	}
}
