// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestOracle makes random steps (edits, deletions, statuses of Flux and of the engines, approvals, readiness checks that fail, every
// failure of the control plane, jumps of the clock, an operator that ends and starts again), in several tenants at once. It holds every
// settled status to the tables of the document, and every transition to one event at the control plane. Steps are repeated with the seed
// that it prints:
//
//	TRISTATE_VWORKSPACE_STEPS=2000 TRISTATE_VWORKSPACE_SEED=1 go test ./vworkspace -run TestOracle
func TestOracle(t *testing.T) {
	t.Parallel()
	steps := world.Number(t, "TRISTATE_VWORKSPACE_STEPS", 60)
	seed := world.Number(t, "TRISTATE_VWORKSPACE_SEED", 2)
	tenants := min(16, max(1, steps/6))
	o := &oracle{vworkspace: base(t), random: rand.New(rand.NewPCG(uint64(seed), 1)), surroundings: surroundings{served: map[string]bool{}}}
	t.Logf("seed %d, %d steps in %d tenants", seed, steps, tenants)
	o.begin(t, tenants)
	o.agree(t, true)
	rounds := 0
	for done := 0; done < steps && !t.Failed(); rounds++ {
		o.calm(t)
		if o.random.IntN(3) == 0 {
			what, unwatched, settles := o.around(t)
			for _, p := range o.tenants {
				p.log = append(p.log, what)
			}
			done++
			if settles {
				o.agree(t, unwatched)
			}
		}
		for _, p := range o.tenants { // of one of them a write is refused
			if what := o.refused(t, p); what != "" {
				p.log = append(p.log, what)
				o.refusals++
				break
			}
		}
		for _, p := range o.tenants {
			if done < steps {
				o.refuses(p)
				p.log = append(p.log, o.step(t, p))
				done++
			}
		}
		o.agree(t, true) // a child that was refused is tried again after a minute
		o.single += len(o.next.End())
		if rounds%10 == 0 {
			t.Logf("%d steps, %d statuses compared, %d transitions reported, %d dropped", done, o.compared, o.reported, o.dropped)
		}
	}
	if o.trouble != "" && !t.Failed() {
		o.mend(t)
		o.agree(t, true)
	}
	o.secrets(t)
	t.Logf("a child was refused %d times until it was allowed, and %d single writes", o.refusals, o.single)
	t.Logf("%d rounds: %d statuses were compared, %d transitions arrived once and in order, %d were dropped and counted; control plane: %v",
		rounds, o.compared, o.reported, o.dropped, o.modes)
}

// oracle is a run.
type oracle struct {
	*vworkspace
	surroundings
	random  *rand.Rand
	tenants []*played
	self    *opsapi.Cluster
	modes   map[string]int // how often each failure of the control plane was made

	refusals, single            int      // children whose writes were refused until they were allowed, writes that were refused once
	rotation                    int      // value of the annotation
	issued                      []string // claims
	witness                     witness
	compared, reported, dropped int
	overflowed, drained         bool // events were dropped, ever; the buffer was empty since
	written                     map[string]int
	flux                        map[string]flux // by namespace
	made                        map[string]made // by uid
}

// played is a tenant that a run plays with: a namespace with an instance and its operations, oldest first.
type played struct {
	ns    string
	app   app
	tasks []*asked
	made  int  // operations, ever
	ready bool // the instance is expected to be Ready
	web   *endpoint
	log   []string
}

// agree waits until every object agrees with the oracle and stays so. It fails the test if that does not come.
func (o *oracle) agree(t *testing.T, unwatched bool) {
	t.Helper()
	var wrong map[*played][]string
	var wake func()
	if unwatched {
		wake = func() {
			o.Advance(2 * time.Second)
			_ = o.operator.Wake(t.Context()) // one that has just been started has no cache yet, and judges everything anyway
		}
	}
	quiet := map[string]int{}
	agreed := world.Settle(t, func() bool {
		if wrong = o.compare(t); len(wrong) > 0 {
			return false
		}
		before := quiet
		quiet = o.Seen.Count(t)
		return reflect.DeepEqual(before, quiet)
	}, wake)
	o.written = quiet
	if agreed {
		return
	}
	for p, lines := range wrong {
		if p == nil {
			t.Errorf("%+v\n  %s", o.surroundings, strings.Join(lines, "\n  "))
			continue
		}
		t.Errorf("refused since the last comparison: %v\ntenant %s, %+v, surroundings %+v\nsteps:\n  %s\nthe document and the status disagree:\n  %s", o.next.End(), p.ns, p.app, o.surroundings, strings.Join(p.log[max(0, len(p.log)-12):], "\n  "),
			strings.Join(lines, "\n  "))
		for _, k := range p.tasks {
			t.Logf("%+v", *k)
		}
	}
	if len(wrong) == 0 {
		t.Error("statuses are written without end")
	}
}

// compare returns where a status differs from the oracle.
func (o *oracle) compare(t *testing.T) map[*played][]string {
	t.Helper()
	stored := map[string]*unstructured.Unstructured{}
	for kind, gv := range map[string]string{"ApplicationInstance": appsapi.GroupVersion.String(), "Operation": opsapi.GroupVersion.String(),
		"Cluster": opsapi.GroupVersion.String()} {
		for _, item := range o.Objects(t, object(gv, kind, "", "").GroupVersionKind()) {
			stored[kind+" "+item.GetNamespace()+"/"+item.GetName()] = &item
		}
	}
	o.flux = map[string]flux{}
	for _, item := range o.Objects(t, helmv2.GroupVersion.WithKind("HelmRelease")) {
		f := o.flux[item.GetNamespace()]
		o.asMade(&item)
		f.release = &item
		o.flux[item.GetNamespace()] = f
	}
	for _, item := range o.Objects(t, sourcev1.GroupVersion.WithKind("OCIRepository")) {
		f := o.flux[item.GetNamespace()]
		f.source = &item
		o.flux[item.GetNamespace()] = f
	}
	wrong, now := map[*played][]string{}, o.Now()
	take := func(p *played, key string, want world.Cells, observed string) {
		have := world.Cells{}
		if u := stored[key]; u != nil {
			have = world.CellsOf(u, observed)
			if phase := text(u, "status", "phase"); want["phase"] != "" {
				have["phase"] = phase
			}
		}
		if observed == "Deleting" {
			have = world.Cells{observed: have[observed]}
		}
		delete(stored, key)
		o.compared++
		for _, line := range want.Differ(have) {
			wrong[p] = append(wrong[p], key+" "+line)
		}
	}
	for _, p := range o.tenants {
		o.tenant(p, now, take)
	}
	if line := o.events(t); line != "" {
		wrong[nil] = append(wrong[nil], line)
	}
	take(nil, "Cluster /"+clusterID, o.connection(), "ControllersHealthy")
	for key := range stored {
		wrong[nil] = append(wrong[nil], key+" is still there")
	}
	return wrong
}

// asMade sets the generation of a HelmRelease to that at which its spec was made, but for suspend: its controller does not look at a
// suspended one.
func (o *oracle) asMade(u *unstructured.Unstructured) {
	spec, _ := u.DeepCopy().Object["spec"].(map[string]any)
	delete(spec, "suspend")
	text, key := fmt.Sprint(spec), string(u.GetUID())
	if o.made == nil {
		o.made = map[string]made{}
	}
	if o.made[key].spec != text {
		o.made[key] = made{text, u.GetGeneration()}
	}
	u.SetGeneration(o.made[key].generation)
}

// made is the spec of a HelmRelease with the generation at which it was made.
type made struct {
	spec       string
	generation int64
}

// tenant compares the objects of a tenant.
func (o *oracle) tenant(p *played, now time.Time, take func(*played, string, world.Cells, string)) {
	f, key := o.flux[p.ns], "ApplicationInstance "+p.ns+"/shop"
	if p.app.occupied {
		f.release = nil
	}
	judge := func() world.Cells {
		if !p.app.exists {
			return nil
		}
		want := p.app.expect(f, &o.surroundings, now)
		p.ready = strings.HasPrefix(want["Ready"], "True")
		return want
	}
	judge()
	p.settle(f, &o.surroundings, now)
	if p.app.exists && p.app.leaving == "" {
		take(p, key, judge(), "Ready") // an upgrade may have set another version
		if f.release != nil {
			if on, _, _ := unstructured.NestedBool(f.release.Object, "spec", "suspend"); on != (p.app.suspendedBy(&o.surroundings, now) != "") {
				take(p, "HelmRelease "+p.ns, world.Cells{"suspend": "statement 30"}, "")
			}
		}
		if child := p.app.remediated(f); child != "" {
			take(p, "the "+child+" of "+p.ns, world.Cells{"interval": "statement 29"}, "")
		}
		if f.source != nil && text(f.source, "spec", "ref", "tag") != p.app.rendered && p.app.rendered != "" {
			take(p, "OCIRepository "+p.ns, world.Cells{"tag": p.app.rendered}, "")
		}
	} else if p.app.leaving != "" {
		// Statements 40 to 42; the other conditions of an object that is being deleted are left open.
		take(p, key, world.Cells{"Deleting": map[string]string{"release": "True Uninstalling",
			"child": "True WaitingForChildResources"}[p.app.leaving]}, "Deleting")
	}
	for _, k := range p.tasks {
		of := "Succeeded"
		if k.final != nil {
			of = "" // it is not judged again
		}
		take(p, "Operation "+p.ns+"/"+k.name, k.expect(p, &o.surroundings, now), of)
	}
}

// calm passes by the moments at which time alone changes a status, so that no step meets one.
func (o *oracle) calm(t *testing.T) {
	t.Helper()
	for range 10 {
		now := o.Now()
		if !slices.ContainsFunc(o.tenants, func(p *played) bool { return p.near(now) }) && !soon(now, o.closes) {
			return
		}
		o.Later(t, 3*time.Minute)
		o.agree(t, true)
	}
	t.Fatal("there is always a moment at which a status changes by itself")
}

// soon reports whether a moment is about to come.
func soon(now, at time.Time) bool {
	return !at.IsZero() && at.After(now.Add(-30*time.Second)) && at.Before(now.Add(2*time.Minute))
}

// near reports whether something of a tenant is about to end by itself.
func (p *played) near(now time.Time) bool {
	if soon(now, p.app.claimEnds) || !p.app.since.IsZero() && soon(now, p.app.since.Add(unreachableGrace)) {
		return true
	}
	return slices.ContainsFunc(p.tasks, func(k *asked) bool {
		return k.final == nil && (soon(now, k.claimEnds) || !k.started.IsZero() && soon(now, k.started.Add(k.timeout)) ||
			!k.waiting.IsZero() && soon(now, k.waiting.Add(k.patience)) || !k.vanished.IsZero() && soon(now, k.vanished.Add(vanishedGrace)))
	})
}

// connection returns the conditions of the Cluster. Connected is about the last round-trip (statement 67): it is False while HTTPS fails
// (70), and not there while nothing is sent. A page of a captive portal is no round-trip; a rejected credential stays rejected (77, 80),
// whatever was in flight.
func (o *oracle) connection() world.Cells {
	c := world.Cells{"Connected": "True RoundTripOK", "Disconnected": "False Connected", "Authenticated": "True CredentialAccepted",
		"ControllersHealthy": o.controllers}
	// Before the first success of another request than the registration, both rows of True hold.
	reached := world.Open("Initial registration exchange with the control plane succeeded.", "True RoundTripOK", "True ControlPlaneReachable")
	switch o.trouble {
	case "garbled":
		c["Connected"], c["Authenticated"] = reached, "False ControlPlaneAuthenticationFailed"
	case "limited", "refusing":
		c["Connected"] = reached
	case "revoked", "forbidden":
		c["Authenticated"] = "False CredentialRejected"
	case "unregistered": // statement 78
		c["Authenticated"] = "False ControlPlaneAuthenticationFailed"
	case "expired": // statement 79
		c["Authenticated"] = "False CredentialExpired"
	}
	switch o.trouble {
	case "", "garbled", "limited", "refusing":
	case "revoked", "forbidden", "unregistered":
		c["Disconnected"] = "True NoRecentRoundTrip"
		delete(c, "Connected")
	default:
		c["Connected"], c["Disconnected"] = "False ControlPlaneUnreachable", "True NoRecentRoundTrip"
	}
	if o.overflowed { // statements 87 to 89
		c["BufferOverflow"] = map[bool]string{true: "False BufferDrained", false: "True EventBufferFull"}[o.drained]
	}
	return c
}

// describe returns a step of a tenant.
func describe(format string, args ...any) string { return fmt.Sprintf(format, args...) }
