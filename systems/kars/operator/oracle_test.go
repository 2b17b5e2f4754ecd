// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestOracle makes random steps (edits, deletions, router restarts, a lost registry, jumps of the clock, an operator that is killed), in
// several tenants at once, and holds every settled status to the tables of the document. Steps are repeated with the seed that it prints:
//
//	TRISTATE_KARS_STEPS=2000 TRISTATE_KARS_SEED=1 go test ./kars -run TestOracle
func TestOracle(t *testing.T) {
	t.Parallel()
	steps := world.Number(t, "TRISTATE_KARS_STEPS", 48)
	seed := world.Number(t, "TRISTATE_KARS_SEED", int(time.Now().UnixNano()&0xffffff))
	tenants := min(8, max(1, steps/6))
	w := start(t)
	t.Logf("seed %d, %d steps in %d tenants", seed, steps, tenants)
	o := &oracle{kars: w, random: rand.New(rand.NewPCG(uint64(seed), 1)), issuer: true}
	w.keys.Store(keySet(t))
	for i := range tenants {
		o.tenants = append(o.tenants, o.tenant(t, i))
	}
	for done := 0; done < steps && !t.Failed(); {
		if o.random.IntN(3) == 0 {
			what, unwatched, settles := o.around(t)
			for _, one := range o.tenants {
				one.log = append(one.log, what)
			}
			done++
			if settles {
				o.agree(t, unwatched)
			}
		}
		for _, i := range o.random.Perm(len(o.tenants)) { // of one of them a write is refused
			if what := o.refused(t, o.tenants[i]); what != "" {
				o.tenants[i].log = append(o.tenants[i].log, what)
				o.refusals++
				break
			}
		}
		for _, one := range o.tenants {
			if done < steps {
				o.refuses(one)
				one.log = append(one.log, o.step(t, one))
				done++
			}
		}
		o.agree(t, false)
		o.single += len(o.next.End())
		if done%200 < tenants {
			t.Logf("%d steps, %d statuses compared", done, o.compared)
		}
	}
	t.Logf("%d statuses were compared, all of them after each round; a child was refused %d times until it was allowed, and %d single writes",
		o.compared, o.refusals, o.single)
}

// oracle is a run.
type oracle struct {
	*kars
	random   *rand.Rand
	tenants  []*played
	issuer   bool // it serves a key set
	lost     bool // the registry
	compared int
	refusals int // children whose writes were refused until they were allowed
	single   int // writes that were refused once
}

// played is a tenant that a run plays with.
type played struct {
	*tenant
	ns, name     string // of its objects, of its box and graph
	good, forged api.ArtifactRef
	meddled      int // children edited by hand since they were looked at
	late         int // sandboxes whose namespace was made first
	log          []string
}

// around does something that concerns all tenants. unwatched reports that no watch sees it: the operator would look again in a minute.
// settles reports that the statuses are compared before the next steps; otherwise those come while it goes on.
func (o *oracle) around(t *testing.T) (what string, unwatched, settles bool) {
	t.Helper()
	one := o.tenants[o.random.IntN(len(o.tenants))]
	switch o.random.IntN(5) {
	case 0:
		d := []time.Duration{12 * time.Minute, 65 * time.Minute, 25 * time.Hour}[o.random.IntN(3)]
		o.Later(t, d)
		return "the clock jumps " + d.String(), true, true
	case 1:
		if err := o.Stop(); err != nil {
			t.Fatal(err)
		}
		o.run(t)
		return "the operator is killed", false, o.random.IntN(2) == 0
	case 2:
		o.lost = !o.lost
		o.outage.Store(o.lost)
		o.Wake(t)
		return fmt.Sprintf("registry lost: %v", o.lost), true, true
	case 3:
		if o.issuer = !o.issuer; o.issuer {
			o.keys.Store(keySet(t))
		} else {
			o.keys.Store(`{"keys":"none"}`)
		}
		o.Later(t, 10*time.Minute) // a set is kept for five
		return fmt.Sprintf("issuer serves keys: %v", o.issuer), true, true
	}
	o.Kubelet.Kill("kars-" + one.name)
	return "the router of " + one.name + " is killed", false, true
}

// agree waits until every object agrees with the oracle, and fails the test if that does not come.
func (o *oracle) agree(t *testing.T, unwatched bool) {
	t.Helper()
	for slices.ContainsFunc(o.tenants, func(p *played) bool { return p.near(o.Now()) }) {
		o.Advance(2 * margin)
		unwatched = true
	}
	var wrong map[*played][]string
	wake := func() {
		if unwatched || o.next.Refused() > 0 {
			o.Wake(t)
		}
	}
	if world.Settle(t, func() bool { wrong = o.compare(t); return len(wrong) == 0 }, wake) {
		o.intact(t)
		for _, one := range o.tenants {
			one.settled = one.list
		}
		return
	}
	for one, lines := range wrong {
		t.Errorf("refused since the last comparison: %v\ntenant %s, %+v\nsteps:\n  %s\nthe document and the status disagree:\n  %s", o.next.End(),
			one.name, *one.tenant, strings.Join(one.log[max(0, len(one.log)-12):], "\n  "), strings.Join(lines, "\n  "))
	}
}

// compare returns where a status differs from the oracle.
func (o *oracle) compare(t *testing.T) map[*played][]string {
	t.Helper()
	stored := map[string]cells{}
	for _, kind := range resources {
		for _, item := range o.Objects(t, api.GroupVersion.WithKind(kind)) {
			stored[kind+" "+item.GetNamespace()+"/"+item.GetName()] = world.CellsOf(&item, "Ready")
		}
	}
	wrong := map[*played][]string{}
	o.compared = 0
	for _, one := range o.tenants {
		one.issuer, one.away = o.issuer, o.lost
		one.tenant.twin.share(one.tenant)
		one.rendered, one.tenant.twin.rendered = o.rendered(t, one.tenant, one.name), o.rendered(t, one.tenant.twin, one.twinName())
		one.store, one.tenant.twin.store = o.storeOf(t, one.tenant, one.name), o.storeOf(t, one.tenant.twin, one.twinName())
		for kind, want := range one.expect(o.Now()) {
			key := kind + " " + one.ns + "/" + objectName(kind, one)
			switch kind {
			case "TrustGraph":
				key = kind + " /" + one.name
			case twinOf:
				key = "KarsSandbox " + one.ns + "/" + one.twinName()
			}
			o.compared++
			for _, line := range want.Differ(stored[key]) {
				wrong[one] = append(wrong[one], kind+" "+line)
			}
		}
	}
	return wrong
}

// objectName returns the name of a tenant's object.
func objectName(kind string, p *played) string {
	if kind == "KarsSandbox" {
		return p.name
	}
	return map[string]string{"ToolPolicy": "tools", "InferencePolicy": "models", "KarsMemory": "notes", "McpServer": "server",
		"A2AAgent": "agent", "KarsEval": "eval", "EgressApproval": "grant"}[kind]
}

// meta returns the metadata of a tenant's object.
func (p *played) meta(kind string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: p.ns, Name: objectName(kind, p)}
}
