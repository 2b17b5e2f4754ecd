// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/story/live"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestOneCatalogOfTen: ten kinds, each with a catalog in the cluster and the same number of objects. A change of one catalog judges the
// objects of its kind, once each, and no other, and takes a tenth of the time of the processor that a cold start takes; a catalog that
// comes besides judges none. TRISTATE_SCALE is a third of the number of objects, as of machines in a fleet
// (make scale in this folder: 60,000 objects).
func TestOneCatalogOfTen(t *testing.T) {
	const kinds = 10
	objects := 100
	if s := os.Getenv("TRISTATE_SCALE"); s != "" {
		if _, err := fmt.Sscan(s, &objects); err != nil {
			t.Fatal(err)
		}
		objects *= 3
	}
	each := objects / kinds
	objects = each * kinds
	b := newBench(t)
	b.must(live.Install(b.patient(), b.config, catalog.CRDYAML))
	part := strings.Split(catalogText, "---\n")[0]
	var work sync.WaitGroup
	var names []string
	for i := range kinds {
		names = append(names, fmt.Sprintf("Kind%c", 'a'+i))
	}
	b.define(listMap, names...)
	for _, kind := range names {
		b.addCatalog(strings.NewReplacer("widgets", strings.ToLower(kind)+"s", "Widget", kind).Replace(part))
		work.Go(func() {
			for n := range each {
				o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": b.group + "/v1", "kind": kind,
					"metadata": map[string]any{"name": fmt.Sprintf("o%05d", n)}}}
				if _, err := b.objects(kind).Create(b.Context(), o, metav1.CreateOptions{}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	work.Wait()
	c := newChild(t, b.config, "--no-embedded")
	c.start()
	defer func() { c.end(syscall.SIGTERM) }()
	took := c.settles(objects)
	t.Logf("first start over %d objects, all of them written: %.1f s, %s", objects, took.Seconds(), c.cost().since(cost{}))
	c.end(syscall.SIGTERM)
	c.start()
	took = c.settles(objects)
	cold := c.cost()
	t.Logf("cold start: %.1f s, %s", took.Seconds(), cold.since(cost{}))
	if cold.passes != objects {
		t.Errorf("a cold start made %d passes over %d objects", cold.passes, objects)
	}

	b.addCatalog(strings.NewReplacer("widgets", "kindas", "Widget", "Kinda", "of: [Powered, Cooled]", "of: [Cooled, Powered]").Replace(part))
	took = c.settles(cold.passes + each)
	edited := c.cost()
	t.Logf("one catalog of ten edited: %.1f s, %s", took.Seconds(), edited.since(cold))
	if n := edited.passes - cold.passes; n != each {
		t.Errorf("a change of the catalog of %d objects made %d passes", each, n)
	}
	// Of few objects the process takes more for itself, and for being asked how far it is, than for them.
	if spent := edited.cpu - cold.cpu; objects >= 30_000 && spent > cold.cpu/5 {
		t.Errorf("a change of one catalog of ten took %s of CPU, a cold start over all objects %s", spent, cold.cpu)
	}

	b.addCatalog(strings.NewReplacer("widgets", "others", "Widget", "Other").Replace(part))
	b.accepted("others.GROUP", "True Accepted")
	c.settles(edited.passes)
	other := c.cost()
	t.Logf("another catalog: %s", other.since(edited))
	if n := other.passes - edited.passes; n > 0 {
		t.Errorf("a catalog of a kind without objects made %d passes", n)
	}
}
