// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"regexp"
	"strings"
)

var (
	declaration = regexp.MustCompile(`^local (?:function )?(\w+(?:, \w+)*)`)
	word        = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// chunk is a declaration at the left margin with the comments above it, or other lines, which declare no names.
type chunk struct {
	text  string
	names []string
}

// prune removes the declarations that nothing uses. A declaration begins at the left margin and ends before the next line there that closes
// nothing. Any word counts as a use, in a text or a comment too, so that at worst a declaration stays.
func prune(script string) string {
	list := chunks(script)
	for {
		uses := map[string]int{} // by how many chunks, of those that do not declare the name
		for _, c := range list {
			own := map[string]bool{}
			for _, name := range c.names {
				own[name] = true
			}
			for _, name := range word.FindAllString(c.text, -1) {
				if !own[name] {
					own[name] = true
					uses[name]++
				}
			}
		}
		var kept []chunk
		for _, c := range list {
			used := len(c.names) == 0
			for _, name := range c.names {
				used = used || uses[name] > 0
			}
			if used {
				kept = append(kept, c)
			}
		}
		if len(kept) == len(list) {
			break
		}
		list = kept
	}
	var b strings.Builder
	for _, c := range list {
		b.WriteString(c.text)
	}
	return b.String()
}

func chunks(script string) []chunk {
	var list []chunk
	comment := "" // above the next chunk
	for line := range strings.Lines(script) {
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "}") || strings.HasPrefix(line, "end")
		declares := declaration.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "--") && len(list) > 0:
			comment += line
		case indented && len(list) > 0 && comment == "":
			list[len(list)-1].text += line
		case declares != nil:
			list = append(list, chunk{comment + line, strings.Split(declares[1], ", ")})
			comment = ""
		default:
			list = append(list, chunk{comment + line, nil})
			comment = ""
		}
	}
	return append(list, chunk{text: comment})
}
