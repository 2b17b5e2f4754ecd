// SPDX-License-Identifier: Apache-2.0

package kstatus

import (
	"testing"

	upstream "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/kstatus"
	"github.com/tristate/tristate/internal/read/pack"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestExport: kstatus itself answers about every state of every catalog and rule pack as tristate gen kstatus says, without the condition
// that it names and with it.
func TestExport(t *testing.T) {
	own, err := catalog.LoadFS(catalogs.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(object map[string]any) string {
		r, err := upstream.Compute(&unstructured.Unstructured{Object: object})
		if err != nil {
			return "Unknown"
		}
		return string(r.Status)
	}
	states, wrong, mended := 0, 0, 0
	engine := pack.Engine(own, packs)
	for _, s := range append(export.All(own), export.All(packs)...) {
		for _, r := range kstatus.Rows(s) {
			states++
			if got := ask(r.Object); got != string(r.Plain) {
				t.Errorf("%s, %s: want %s from kstatus, got %s", r.Kind, r.State, r.Plain, got)
			}
			if r.Plain == r.Want {
				continue
			}
			wrong++
			v := engine.Judge(r.Object, export.Now)
			mends := false
			for _, name := range []string{"Reconciling", "Stalled"} {
				mends = mends || ask(kstatus.With(r.Object, kstatus.Condition{Type: name, Status: "True"}, &v)) == string(r.Want)
			}
			if mends == r.Lost {
				t.Errorf("%s, %s: lost is %t, and a condition makes kstatus right: %t", r.Kind, r.State, r.Lost, mends)
			}
			if r.Add.Type == "" {
				continue
			}
			mended++
			if got := ask(kstatus.With(r.Object, r.Add, &v)); got != string(r.Want) {
				t.Errorf("%s, %s: want %s from kstatus with %s, got %s", r.Kind, r.State, r.Want, r.Add.Type, got)
			}
		}
	}
	t.Logf("%d states: plain kstatus is wrong on %d, and right on %d of them with one condition more", states, wrong, mended)
}
