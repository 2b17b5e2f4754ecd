// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
)

// TestLeftOut: for every product and every kind that a shipped catalog judges, the kind is in the files, or the product says why it is not.
func TestLeftOut(t *testing.T) {
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	all := export.All(packs)
	have := map[string]map[string]bool{} // kinds of products
	for _, e := range consumers {
		have[e.name] = map[string]bool{}
		flags := pflag.NewFlagSet(e.name, pflag.ContinueOnError)
		generate := e.add(flags)
		switch e.name {
		case "argocd": // all kinds at once are more than one object may have
			_ = flags.Set("form", "files")
		case "columns": // the order of versions is not asked for
			_ = flags.Set("form", "markers")
		case "policy": // nor the resource
			_ = flags.Set("resource", "things")
		}
		for _, s := range all {
			p, err := generate([]*export.Subject{s})
			if err != nil {
				t.Errorf("%s of %s: %v", e.name, s.Name(), err)
				continue
			}
			left := p.LeftOut([]*export.Subject{s})
			var text bytes.Buffer
			for _, f := range p.Files {
				text.WriteString(f.Name)
				text.Write(f.Data)
			}
			for _, note := range p.Notes {
				text.WriteString(note)
			}
			switch {
			case len(left) > 0 && len(p.Files) > 0:
				t.Errorf("%s has files for %s, and says that it leaves the kind out", e.name, s.Name())
			case len(left) > 0 && (strings.HasSuffix(left[0], "nothing can be made of its catalog") || e.instead == ""):
				t.Errorf("%s leaves out %s without a reason, or without another way", e.name, s.Name())
			case len(left) == 0 && !strings.Contains(text.String(), s.For.Kind):
				t.Errorf("%s drops %s in silence", e.name, s.Name())
			}
			have[e.name][s.Name()] = len(left) == 0
		}
	}
	for _, s := range all {
		if have["grafana"][s.Name()] != have["metrics"][s.Name()] {
			t.Errorf("%s has a dashboard without series, or series without a dashboard", s.Name())
		}
	}
	for _, e := range consumers {
		count := 0
		for _, is := range have[e.name] {
			if is {
				count++
			}
		}
		t.Logf("%s has %d of %d kinds", e.name, count, len(all))
	}
}
