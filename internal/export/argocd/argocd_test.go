// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
)

// library matches what a script of a user cannot have in Argo CD.
var library = regexp.MustCompile(`\b(string|math|io|debug)\.|[a-z)"]:[a-z]+\(`)

// TestScript: no script uses a library that Argo CD does not open, or a method of a text. What the scripts answer is proved in
// proof/consumers/argocd.
func TestScript(t *testing.T) {
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	subjects := export.All(packs)
	for _, s := range subjects {
		script, _ := Script(s)
		for line := range strings.Lines(script) {
			if code, _, _ := strings.Cut(quotedText.ReplaceAllString(line, `""`), "--"); library.MatchString(code) {
				t.Errorf("%s: %s", s.Name(), line)
			}
		}
	}
	if _, err := Generate(subjects, ConfigMap); err == nil || !strings.Contains(err.Error(), "above the limit") {
		t.Errorf("want an error about the limit of one object for all kinds in one ConfigMap, got %v", err)
	}
	if p, err := Generate(subjects[:3], Operator); err != nil || len(p.Files) != 1 || len(p.Notes) != 4 {
		t.Errorf("want one file, a note for each kind and one about the patch, got %v, %v", p, err)
	}
	if _, err := Generate(subjects[:1], "helm"); err == nil {
		t.Error("want an error for an unknown form")
	}
}

var quotedText = regexp.MustCompile(`"(?:\\.|[^"\\])*"`)
