// SPDX-License-Identifier: Apache-2.0

package kstatus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/systems"
)

const lamp = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: lamps.example.org}
spec:
  for: {group: example.org, kind: Lamp}
  conditions:
  - type: Ready
    meaning: The lamp is lit.
    role: summary
    reasons:
    - {reason: Lit, status: "True", class: ok, meaning: It is lit.}
    - {reason: Broken, status: "False", class: terminal, meaning: The bulb is broken., remedy: Change the bulb.}
    - {reason: Warming, status: "False", class: progress, meaning: It warms up.}
    - {reason: Off, status: "False", class: suspended, meaning: It is switched off.}
`

func TestRows(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"lamp.yaml": []byte(lamp)})
	if err != nil {
		t.Fatal(err)
	}
	subjects, err := export.Subjects([]string{"Lamp"}, set)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"no-status": "InProgress: kstatus says Current, lost", "Ready=True/Lit": "Current: kstatus agrees",
		"Ready=False/Broken":  "Failed: kstatus says InProgress, Stalled",
		"Ready=False/Warming": "InProgress: kstatus agrees", "Ready=False/Off": "Suspended: kstatus says InProgress, lost",
		"stale":    "InProgress: kstatus agrees",
		"deleting": "Terminating: kstatus agrees",
	}
	got := map[string]string{}
	for _, r := range Rows(subjects[0]) {
		text := string(r.Verdict) + ": kstatus "
		switch {
		case r.Plain == r.Want:
			text += "agrees"
		case r.Lost:
			text += "says " + string(r.Plain) + ", lost"
		default:
			text += "says " + string(r.Plain) + ", " + r.Add.Type
		}
		got[r.State] = text
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestFigures: docs/exports/kstatus.md has the figures of the shipped catalogs and rule packs.
func TestFigures(t *testing.T) {
	own, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	states, wrong, mended := 0, 0, 0
	for _, s := range append(export.All(own), export.All(packs)...) {
		for _, r := range Rows(s) {
			states++
			if r.Plain != r.Want {
				wrong++
			}
			if r.Add.Type != "" {
				mended++
			}
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "exports", "kstatus.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("wrong about %d of %d states, and right about %d of these with one condition more.", wrong, states, mended)
	if !strings.Contains(string(page), want) {
		t.Errorf("docs/exports/kstatus.md has other figures than: %s", want)
	}
}
