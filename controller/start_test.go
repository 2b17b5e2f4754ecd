// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/story/live"
)

// breakable declares widgets that are only read, and of which Broken is bad; racks count the broken ones, and name a place of any kind.
const breakable = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: widgets.GROUP}
spec:
  for: {group: GROUP, kind: Widget, versions: [v1]}
  conditions:
  - {type: Broken, polarity: negative, meaning: It does not work., reasons: [{reason: Dropped, status: "True", meaning: Yes.}, {reason: Whole, status: "False", meaning: No.}]}
---
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: racks.GROUP}
spec:
  for: {group: GROUP, kind: Rack, versions: [v1]}
  manage: {manager: tristate}
  relations:
    widgets: {kind: Widget.GROUP, where: item.spec.rack == self.metadata.name}
    place: {ref: self.spec.place}
  conditions:
  - type: Ready
    meaning: All widgets work, and there is a place.
    derive: {summary: {of: [WidgetsReady, Placed]}}
  - type: WidgetsReady
    meaning: All widgets work.
    derive: {aggregate: {of: widgets, type: Broken}}
  - type: Placed
    meaning: There is a place.
    derive: {rules: [{when: "has(related.place)", reason: Found}, {reason: Lost}]}
    reasons: [{reason: Found, status: "True", meaning: Yes.}, {reason: Lost, status: "False", meaning: No.}]
`

// TestCatalogsFirst: what a catalog in the cluster says counts from the first write on, however late the list of the catalogs comes. A
// catalog that comes later touches the objects of its kind and of those that read it, and no others.
func TestCatalogsFirst(t *testing.T) {
	b := newBench(t)
	b.must(live.Install(b.patient(), b.config, catalog.CRDYAML))
	parts := strings.Split(breakable, "---\n")
	b.set = b.load(parts[1]) // racks, from a file
	b.define(listMap, "Rack", "Widget", "Place")
	b.create("Place", "p", "{}")
	b.create("Widget", "w", "rack: r")
	b.report("Widget", "w", "Broken", "False", "Whole")
	b.create("Rack", "r", "place: {apiVersion: "+b.group+"/v1, kind: Place, name: p}")
	b.addCatalog(parts[0])

	known, others := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w := &traffic{answer: func(r request) *http.Response {
		switch {
		case r.resource == "conditioncatalogs" && r.verb != "patch":
			<-known
		case r.resource == "places":
			once.Do(func() { close(others) })
		}
		return nil
	}}
	c := b.run(w.through)
	<-others // the racks are in, and what they refer to is asked for
	for range 3 {
		if got := b.says("Rack", "r"); got != "" {
			t.Errorf("written before the catalogs of the cluster were known: %s", got)
		}
	}
	close(known)
	b.eventually("Rack", "r", "Placed=True Found, Ready=True Healthy, WidgetsReady=True Healthy")
	c.quiet()
	if n := c.Stats().Writes; n != 2 { // the rack, and that the catalog is accepted
		t.Errorf("%d writes", n)
	}

	before := c.Stats().Passes
	b.addCatalog(strings.NewReplacer("widgets.GROUP", "others.GROUP", "kind: Widget", "kind: Other").Replace(parts[0]))
	b.accepted("others.GROUP", "True Accepted")
	c.idle()
	if n := c.Stats().Passes - before; n != 0 {
		t.Errorf("a catalog of another kind made %d passes", n)
	}
	b.addCatalog(strings.NewReplacer("widgets.GROUP", "places.GROUP", "kind: Widget", "kind: Place").Replace(parts[0]))
	b.accepted("places.GROUP", "True Accepted")
	c.idle()
	if n := c.Stats().Passes - before; n != 1 {
		t.Errorf("a catalog of the kind of the place made %d passes, want that over the rack", n)
	}
}

// TestCatalogsForbidden: without the permission to list catalogs the others do their work.
func TestCatalogsForbidden(t *testing.T) {
	b := newBench(t)
	b.must(live.Install(b.patient(), b.config, catalog.CRDYAML))
	b.define(listMap, "Rack", "Widget")
	b.create("Rack", "r", "{}")
	w := &traffic{answer: func(r request) *http.Response {
		if r.resource == "conditioncatalogs" {
			return refuse(r.Request, http.StatusForbidden, "Forbidden")
		}
		return nil
	}}
	c := b.run(w.through)
	b.eventually("Rack", "r", "Ready=False Empty, WidgetsReady=False Empty")
	if err := c.Ready(); err == nil || !strings.Contains(err.Error(), "ConditionCatalog") {
		t.Errorf("ready: %v", err)
	}
}
