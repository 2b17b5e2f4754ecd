// SPDX-License-Identifier: Apache-2.0

package wiring_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// FuzzWired: no objects make the conditions that are derived at reading panic, and judging again changes nothing.
func FuzzWired(f *testing.F) {
	for _, scene := range scenes(f) {
		_, rest, _ := strings.Cut(string(scene.Data), "\n")
		var contents []map[string]any
		for _, o := range graphOf(f, rest).All() {
			contents = append(contents, o.Content)
		}
		if data, err := json.Marshal(contents); err == nil && len(data) < 8<<10 {
			f.Add(data)
		}
	}
	judge := relation.JudgeBy(pack.Default(nil), nil, at)
	f.Fuzz(func(t *testing.T, data []byte) {
		var contents []map[string]any
		if json.Unmarshal(data, &contents) != nil || len(contents) > 30 {
			return
		}
		g := relation.New(nil)
		for _, content := range contents {
			if o := relation.FromContent(content); o.Content != nil && o.Kind != "" {
				g.Put(o)
			}
		}
		for _, o := range g.All() {
			first := (&relation.View{Graph: g, Judge: judge}).Judgement(o)
			again := (&relation.View{Graph: g, Judge: judge}).Judgement(o)
			if first.Verdict != again.Verdict || first.Reason != again.Reason || first.Message != again.Message {
				t.Errorf("%v is %s %s, and then %s %s", o.ID, first.Verdict, first.Reason, again.Verdict, again.Reason)
			}
		}
	})
}
