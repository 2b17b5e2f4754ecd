// SPDX-License-Identifier: Apache-2.0

package docscheck

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/check/livecheck"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// shapes are the checks of objects that run over an example: those that need no cluster and no clock.
var shapes = []string{"live/status-value", "live/duplicate-type", "live/undeclared-type", "live/undeclared-reason",
	"live/reason-status-mismatch", "live/reason-empty",
	"live/reason-format", "live/message-length", "live/generation-ahead", "live/exclusive"}

var entryOf = regexp.MustCompile(`^status\.conditions\[([0-9]+)\]`)

var versioned = regexp.MustCompile(`^([a-z0-9.-]+/)?v[0-9]+((alpha|beta)[0-9]+)?$`)

// exampleInvalid runs the checks of objects over each object of a fenced block. It also reads blocks that begin with
// apiVersion at the edge of a line, which extracted pages have.
func exampleInvalid(p *check.Pass) {
	var checks []*check.Check
	for _, c := range livecheck.All {
		if slices.Contains(shapes, c.ID) {
			checks = append(checks, c)
		}
	}
	for _, d := range p.Docs {
		sub := evidence.New()
		sub.Catalogs = p.Catalogs
		places := map[int][]int{} // lines of the entries, by the line of their object
		for _, f := range blocks(d) {
			for _, o := range objectsOf(d.File, f) {
				p.Subject()
				o.check(p)
				places[o.at.Line] = o.lines
				sub.Objects = append(sub.Objects, evidence.NewObject(o.content, o.at))
			}
		}
		if len(sub.Objects) == 0 {
			continue
		}
		sub.Join(nil)
		for _, found := range check.Run(sub, checks, check.Options{Now: p.Now}).Findings(check.Info) {
			at := found.Position
			if m := entryOf.FindStringSubmatch(found.Path); m != nil {
				i, _ := strconv.Atoi(m[1]) // digits
				at.Line = places[found.Position.Line][i]
			}
			f := p.Report(at, d.File+" "+found.Check.ID+" "+found.Subject, "the example breaks %s: %s", found.Check.ID,
				found.Message).At(found.Path).Try("%s", found.Remedy())
			if found.Level == check.Info {
				f.As(check.Info)
			}
		}
	}
}

// blocks returns the fenced blocks of YAML or JSON of a document, and text that looks like one without a fence.
func blocks(d *evidence.Document) []evidence.Fence {
	var out []evidence.Fence
	inside := map[int]bool{}
	for _, s := range d.Sections {
		for _, f := range s.Fences {
			for i := range strings.Count(f.Text, "\n") + 2 {
				inside[f.Line-1+i] = true
			}
			if !f.Invalid && slices.Contains([]string{"", "yaml", "yml", "json"}, strings.ToLower(f.Language)) {
				out = append(out, f)
			}
		}
	}
	lines := strings.Split(d.Text, "\n")
	for i := 0; i < len(lines); i++ {
		if inside[i+1] || !strings.HasPrefix(lines[i], "apiVersion:") {
			continue
		}
		to := i
		for to < len(lines) && strings.TrimSpace(lines[to]) != "" {
			to++
		}
		out = append(out, evidence.Fence{Text: strings.Join(lines[i:to], "\n") + "\n", Line: i + 1})
		i = to
	}
	return out
}

// example is an object of a document with conditions.
type example struct {
	content map[string]any
	at      catalog.Position
	list    []any
	lines   []int // of the entries
}

const maxExample = 1 << 20 // bytes of a block

// objectsOf reads the objects of a block that have conditions, or are nothing but a status with them. A block that is no YAML, or has
// places to be filled in (<...>, {{...}}, an ellipsis), is left out.
func objectsOf(file string, f evidence.Fence) []example {
	if len(f.Text) > maxExample || !strings.Contains(f.Text, "conditions") || strings.Contains(f.Text, "{{") ||
		strings.Contains(f.Text, "...") {
		return nil
	}
	var out []example
	line := f.Line
	for _, part := range strings.Split(f.Text, "\n---") {
		at := catalog.Position{File: file, Line: line + leading(part), Column: 1}
		line += strings.Count(part, "\n") + 1
		var root yaml.Node
		var content map[string]any
		if yaml.Unmarshal([]byte(part), &root) != nil || aliased(&root) || sigsyaml.Unmarshal([]byte(part), &content) != nil {
			continue
		}
		list := nested.List(content, "status", "conditions")
		if len(list) == 0 || content["kind"] == "ConditionCatalog" || strings.Contains(fmt.Sprint(list), "<") {
			continue
		}
		if content["kind"] == nil {
			content["kind"], content["apiVersion"] = "Example", "example/v1"
		}
		if metadata, _ := content["metadata"].(map[string]any); metadata["name"] == nil {
			content["metadata"] = map[string]any{"name": "example"}
		}
		out = append(out, example{content, at, list, entryLines(&root, line-strings.Count(part, "\n")-2)})
	}
	return out
}

// entryLines returns the lines of the entries of status.conditions.
func entryLines(root *yaml.Node, before int) []int {
	var out []int
	for _, n := range evidence.Items(evidence.Field(evidence.Field(root.Content[0], "status"), "conditions")) {
		out = append(out, before+n.Line)
	}
	return out
}

// leading counts the empty lines and separators that a part begins with.
func leading(part string) int {
	n := 0
	for line := range strings.Lines(part) {
		if t := strings.TrimSpace(line); t != "" && t != "---" {
			break
		}
		n++
	}
	return n
}

func aliased(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, aliased)
}

// check reports faults that no check of objects looks for, because an API server refuses them.
func (e *example) check(p *check.Pass) {
	kind := nested.Text(e.content, "kind")
	version := nested.Text(e.content, "apiVersion")
	if !versioned.MatchString(version) {
		p.Report(e.at, e.at.File+" "+kind+" apiVersion", "the example has the apiVersion %q: it is GROUP/VERSION", version).Try("add the version")
	}
	for i, raw := range e.list {
		c, _ := raw.(map[string]any)
		name := nested.Text(c, "type")
		at := e.at
		at.Line = e.lines[i]
		subject := fmt.Sprintf("%s %s/%s", e.at.File, kind, name)
		path := fmt.Sprintf("status.conditions[%d].", i)
		for _, field := range []string{"lastTransitionTime", "lastUpdateTime"} {
			text, is := c[field].(string)
			if _, err := time.Parse(time.RFC3339, text); is && err != nil {
				p.Report(at, subject+" "+field, "the example has the %s %q, which is not a time", field, text).At(path +
					field).Try("write a time of RFC 3339")
			}
		}
		if _, has := c["lastUpdateTime"]; has {
			p.Report(at, subject+" lastUpdateTime", "%s has a lastUpdateTime, which conditions do not have", name).At(path +
				"lastUpdateTime").As(check.Info).Try("leave it out")
		}
	}
}
