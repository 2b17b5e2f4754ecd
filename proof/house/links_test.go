// SPDX-License-Identifier: Apache-2.0

package house

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	hyperlink = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	codeSpan  = regexp.MustCompile("`[^`\n]*`")
	heading   = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	unslugged = regexp.MustCompile(`[^\p{L}\p{N}\-_ ]`)
)

// TestLinks: each link of a page of docs, examples or the root leads to a file of the repository, and its anchor to a heading of that page.
// Links to other sites are not followed.
func TestLinks(t *testing.T) {
	anchors := map[string]map[string]bool{}
	wanted := func(name string) bool {
		top, _, below := strings.Cut(name, "/")
		return path.Ext(name) == ".md" && (!below || top == "docs" || top == "systems" || top == "examples")
	}
	walk(t, wanted, func(name string, data []byte) {
		text := codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(string(data), ""), "")
		for _, m := range hyperlink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			target := name
			if m[1] != "" {
				target = path.Join(path.Dir(name), m[1])
			}
			if _, err := fs.Stat(repository, target); err != nil {
				t.Errorf("%s links %s, which does not exist", name, m[1])
				continue
			}
			if m[2] == "" || path.Ext(target) != ".md" {
				continue
			}
			if anchors[target] == nil {
				anchors[target] = headings(t, target)
			}
			if !anchors[target][m[2]] {
				t.Errorf("%s links %s#%s, which is no heading of it", name, target, m[2])
			}
		}
	})
}

// headings returns the anchors of the headings of a page, as GitHub makes them.
func headings(t *testing.T, name string) map[string]bool {
	data, err := fs.ReadFile(repository, name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(data), ""), -1) {
		out[strings.ReplaceAll(unslugged.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return out
}
