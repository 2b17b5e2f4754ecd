// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

var (
	renamed    = regexp.MustCompile("^\\s*[-*•]\\s+`?([A-Z]\\w+)`?\\s*(?:→|->|=>)\\s*`?([A-Z]\\w+)`?\\s*$")
	replaced   = regexp.MustCompile("[Rr]eplace `?([A-Z][a-z0-9]+[A-Z]\\w*)`? with `?([A-Z]\\w+)`?")
	defined    = regexp.MustCompile("^\\s*[-*•]\\s+`?([A-Z][A-Za-z0-9]+)`?:\\s+(.*)$")
	listed     = regexp.MustCompile(`\b([A-Z]\w+)\.[Ss]tatus\.[Cc]onditions\[(\w+)\]`)
	listOf     = regexp.MustCompile(`\b([A-Z]\w+)\.[Ss]tatus\.[Cc]onditions\b`)
	dotted     = regexp.MustCompile(`\b([A-Z]\w+)\.[Ss]tatus\.([A-Z]\w+)\b`)
	cellInText = regexp.MustCompile(`^\s*([A-Z]\w+)=(True|False|Unknown),\s*Reason=([A-Z]\w+)(?:,\s*Severity=(Error|Warning|Info))?\s*$`)
	span       = regexp.MustCompile("`([^`\n]+)`")
	typeLike   = regexp.MustCompile(`^[A-Z][a-zA-Z0-9]*(Ready|Available|Healthy|Completed|Succeeded|Succ[a-z]*ed|Paused)$`)
)

// prose reads the parts of a document without tables: examples in YAML, definitions in lists, renames, and identifiers in the text.
func (d *Draft) prose(file string, lines []string) {
	replacedBy := map[string]string{}
	for _, line := range lines {
		if m := renamed.FindStringSubmatch(line); m != nil {
			replacedBy[m[1]] = m[2]
		}
		for _, m := range replaced.FindAllStringSubmatch(line, -1) {
			replacedBy[m[1]] = m[2]
		}
	}
	d.examples(file, lines, replacedBy)
	d.definitions(lines)
	d.identifiers(lines)
	for _, k := range d.kinds {
		for _, c := range k.types {
			for old, now := range replacedBy {
				if now == c.name && !slices.Contains(c.aliases, old) {
					c.aliases = append(c.aliases, old)
				}
			}
			slices.Sort(c.aliases)
		}
	}
}

// examples reads the blocks of a text that are YAML with conditions: fenced ones, and lines from "apiVersion:" or "status:" on.
func (d *Draft) examples(file string, lines []string, replacedBy map[string]string) {
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		fenced := strings.HasPrefix(line, "```")
		if !fenced && !strings.HasPrefix(lines[i], "apiVersion:") {
			continue
		}
		from := i
		if fenced {
			from++
		}
		to := from
		for to < len(lines) && (fenced && !strings.HasPrefix(strings.TrimSpace(lines[to]), "```") || !fenced &&
			strings.TrimSpace(lines[to]) != "") {
			to++
		}
		d.example(file, from+1, strings.Join(lines[from:to], "\n"), replacedBy)
		i = to
	}
}

// example reads one block. A block that is no YAML is passed over.
func (d *Draft) example(file string, line int, text string, replacedBy map[string]string) {
	var root yaml.Node
	if !strings.Contains(text, "conditions:") || len(text) > 1<<20 || readNode([]byte(text), &root) != nil || len(root.Content) == 0 {
		return
	}
	top := root.Content[0]
	list := field(field(top, "status"), "conditions")
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	var k *kind
	if kindName := scalarOf(field(top, "kind")); name.MatchString(kindName) {
		group, version, _ := strings.Cut(scalarOf(field(top, "apiVersion")), "/")
		k = d.kind(group, kindName)
		if k != nil && version == "" {
			k.notes = append(k.notes, "apiVersion of the example has no version")
			version = ""
		} else if k != nil && !slices.Contains(k.versions, version) {
			k.versions = append(k.versions, version)
		}
	} else {
		k = d.theKind()
	}
	if k == nil {
		return
	}
	if field(field(top, "status"), "observedGeneration") != nil {
		k.generation = "status"
	}
	for _, item := range list.Content {
		n, status, reason := scalarOf(field(item, "type")), scalarOf(field(item, "status")), scalarOf(field(item, "reason"))
		if !name.MatchString(n) {
			continue
		}
		if reason == "" {
			d.skip("%s:%d: %s=%s has no reason", file, line+item.Line-1, n, status)
		}
		if now := replacedBy[n]; now != "" {
			if c := k.condition(d, now); c != nil && !slices.Contains(c.aliases, n) {
				c.aliases = append(c.aliases, n)
			}
			continue
		}
		c := k.condition(d, n)
		if c != nil {
			c.open = "The source shows examples only: read an unknown reason by the status alone."
		}
		if at := scalarOf(field(item, "lastTransitionTime")); at != "" {
			if _, err := time.Parse(time.RFC3339, at); err != nil {
				d.skip("%s:%d: lastTransitionTime %q of %s is no time", file, line+item.Line-1, at, n)
			}
		}
		if field(item, "lastUpdateTime") != nil {
			d.skip("%s:%d: %s has a lastUpdateTime, which conditions do not have", file, line+item.Line-1, n)
		}
		if field(item, "observedGeneration") != nil && k.generation == "" {
			k.generation = "conditions"
		}
		if reason == "" {
			if c != nil {
				c.notes = append(c.notes, "the document shows "+n+"="+status+" without a reason")
			}
			continue
		}
		if one := c.cell(d, reason, status); one != nil && one.meaning == "" {
			one.meaning = sentence(scalarOf(field(item, "message")))
		}
	}
}

// readNode parses YAML into nodes; a panic of the library is an error.
func readNode(data []byte, root *yaml.Node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not YAML: %v", p)
		}
	}()
	return yaml.NewDecoder(bytes.NewReader(data)).Decode(root)
}

// field returns the value of a key of a mapping; nil without one. Aliases are not followed.
func field(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func scalarOf(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// definitions reads items of a list of the form "Type: meaning". No type is added to those that the document has already.
func (d *Draft) definitions(lines []string) {
	if len(d.kinds) == 0 {
		return
	}
	k := d.kinds[0]
	for i, line := range lines {
		m := defined.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		text := m[2]
		for _, more := range lines[i+1:] {
			if more = strings.TrimSpace(more); more == "" || strings.HasPrefix(more, "•") || strings.HasPrefix(more, "- ") {
				break
			}
			text += " " + more
		}
		for _, c := range k.types {
			if c.name == m[1] && c.meaning == "" {
				c.meaning = sentence(strings.TrimPrefix(text, "Indicates that "))
			}
		}
	}
}

// identifiers reads condition types that the text mentions: KIND.Status.Conditions[TYPE], and names with a usual ending behind the last
// KIND.Status.Conditions of a paragraph.
func (d *Draft) identifiers(lines []string) {
	var paragraph strings.Builder
	flush := func() {
		d.paragraph(paragraph.String())
		paragraph.Reset()
	}
	fenced := false
	for _, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			flush()
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		if strings.TrimSpace(line) == "" {
			flush()
			continue
		}
		if paragraph.Len() > maxLine {
			flush()
		}
		paragraph.WriteString(line + "\n")
	}
	flush()
	for _, line := range lines { // now that the kinds are known
		if m := cellInText.FindStringSubmatch(line); m != nil {
			d.mentioned(m)
		}
	}
}

func (d *Draft) paragraph(text string) {
	var current *kind
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		s := m[1]
		switch {
		case listed.MatchString(s):
			p := listed.FindStringSubmatch(s)
			if k := d.kind("", strings.TrimSuffix(p[1], "s")); k != nil {
				k.enumerate(d, p[2])
			}
		case listOf.MatchString(s):
			current = d.kind("", strings.TrimSuffix(listOf.FindStringSubmatch(s)[1], "s"))
		case dotted.MatchString(s):
			p := dotted.FindStringSubmatch(s)
			if k := d.kind("", p[1]); k != nil && typeLike.MatchString(p[2]) {
				k.enumerate(d, p[2])
			}
		case typeLike.MatchString(s) && current != nil:
			current.enumerate(d, s)
		case typeLike.MatchString(s) && (strings.HasSuffix(s, "Paused") || len(d.kinds) > 0 && s != "Ready"):
			// Without a kind in the paragraph it belongs to the one that was found with it elsewhere, if any.
			found := slices.ContainsFunc(d.kinds, func(k *kind) bool {
				return slices.ContainsFunc(k.types, func(c *condition) bool { return c.name == s })
			})
			if !found {
				d.skip("condition type %s: its kind is not named", s)
			}
		}
	}
}

// enumerate adds a type of which only the name is known.
func (k *kind) enumerate(d *Draft, n string) {
	c := k.condition(d, n)
	if c == nil {
		return
	}
	if len(c.cells) == 0 {
		c.open = "The source names no reasons: read each by the status alone."
	}
	if right := nearSuffix(n); right != "" && len(c.notes) == 0 {
		c.notes = append(c.notes, "the ending looks misspelt: "+right)
	}
}

// mentioned reads TYPE=STATUS, Reason=REASON, Severity=SEVERITY.
func (d *Draft) mentioned(m []string) {
	for _, k := range d.kinds {
		for _, c := range k.types {
			if c.name == m[1] {
				if one := c.cell(d, m[3], m[2]); one != nil {
					one.severity = m[4]
				}
				return
			}
		}
	}
	// MachineReady is the Ready of Machine.
	if n, ok := strings.CutSuffix(m[1], "Ready"); ok && n != "" {
		n = strings.Replace(n, "AWS", "Aws", 1)
		for _, k := range d.kinds {
			if strings.EqualFold(k.name, n) {
				if one := k.condition(d, "Ready").cell(d, m[3], m[2]); one != nil {
					one.severity = m[4]
					one.note("the text calls the type %s", m[1])
				}
				return
			}
		}
	}
	d.skip("%s=%s %s: its kind is not named", m[1], m[2], m[3])
}
