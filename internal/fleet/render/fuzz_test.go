// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// FuzzRender: no objects make a printer panic, and nothing of theirs that steers a terminal reaches the output.
func FuzzRender(f *testing.F) {
	f.Add([]byte(`[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p\u001b[31m","namespace":"a\u2028b"},"status":{"phase":"\u202eFailed",` +
		`"conditions":[{"type":"Ready","status":"False","reason":"No\u0007","message":"x\ny\r\u0085z"}]}}]`))
	f.Add([]byte(`[{"apiVersion":"x/v1","kind":"X","metadata":{"name":"x","ownerReferences":[{"kind":"X","name":"x"}]},"status":{"conditions":{}}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var contents []map[string]any
		if json.Unmarshal(data, &contents) != nil || len(contents) > 20 {
			return
		}
		now := time.Date(2026, 1, 2, 3, 18, 5, 0, time.UTC)
		g := relation.New(nil)
		for _, content := range contents {
			if o := relation.FromContent(content); o.Content != nil && o.Kind != "" {
				g.Put(o)
			}
		}
		v := relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(nil), nil, now)}
		var roots []*relation.Node
		for _, o := range g.All() {
			roots = append(roots, v.Build(o.ID))
		}
		for _, width := range []int{0, 30} {
			var out bytes.Buffer
			o := Options{Width: width, Now: now, Namespaces: true}
			_ = Table(&out, slices.Values(roots), o) // a buffer has no errors
			_ = Ranked(&out, v.Ranked(roots), Explanation{}, o)
			for _, root := range roots {
				_ = Tree(&out, root, o)
				_ = Why(&out, Explanation{Root: root, Causes: relation.Causes(root), Doubts: relation.Contradictions(root)}, o)
			}
			_ = Dot(&out, roots)
			_ = Mermaid(&out, roots)
			steers := func(r rune) bool {
				return r != '\n' && unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
			}
			if i := strings.IndexFunc(out.String(), steers); i >= 0 {
				t.Errorf("the output has %q", out.String()[max(0, i-20):min(out.Len(), i+20)])
			}
		}
		if _, err := json.Marshal(Items(roots...)); err != nil {
			t.Error(err)
		}
	})
}
