// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems"
	choice "github.com/tristate/tristate/systems/cells"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// onlyRows runs the operator with --conditions=document: "This document lists the reasons the controller actually emits today". An
// object of each kind goes through failures and back, and no cell is stored that the tables do not have. A grant still ends for good, an
// event of a wait comes once, and at rest nothing is written.
func onlyRows(t *testing.T, w *kars) {
	complete := w.options.Cells
	w.options.Cells = choice.Document
	var sent world.Traffic
	w.Config.Wrap(sent.Wrap)
	w.run(t)
	const name = "rows"
	ns := w.NewNamespace(t)
	objects := w.everything(ns, name)
	for _, o := range objects {
		if s, is := o.(*api.KarsSandbox); is {
			s.Spec.MemoryRef = nil // its store would have to be asked
		}
		w.Create(t, o)
	}
	tools, sandbox := newToolPolicy(ns, name), newSandbox(ns, name)
	grant, models := &api.EgressApproval{ObjectMeta: meta(ns, name)}, newInferencePolicy(ns, name)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, grant, "Ready=True RouterConfirmed")

	world.Edit(t, w.World, models, func(p *api.InferencePolicy) { p.Spec.TokenBudget.MonthlyTokens = 10 })
	w.Seen.Reach(t, models, "Ready=False SpecInvalid")
	world.Edit(t, w.World, models, func(p *api.InferencePolicy) { p.Spec = newInferencePolicy(ns, "").Spec })
	w.Seen.Reach(t, models, "Ready=True RouterEnforcing")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = true })
	w.Seen.Reach(t, sandbox, "Ready=False SuspendedBySpec", "Suspended=True SuspendedBySpec")
	w.Seen.Reach(t, tools, "!Ready", "Progressing=True AwaitingRouterEnforcement")
	w.event(t, tools, "PolicyNotEnforced", 4) // two of each policy, which have one name
	w.Wake(t)
	w.Seen.Reach(t, grant, "!Ready", "Degraded=True BlockedOnSandbox")
	w.Later(t, 2*time.Hour)
	w.Seen.Reach(t, grant, "!Ready", "Degraded=True Expired")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = false })
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "Suspended=False Active")
	world.Patiently(t, world.Patience, sent.Quiet(world.Request.Writes))
	w.event(t, tools, "PolicyNotEnforced", 4)
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(grant), grant); err != nil {
		t.Fatal(err)
	}
	if len(grant.Finalizers) > 0 || grant.Status.Phase != "Expired" {
		t.Errorf("a grant that is over has the phase %s and the finalizers %v", grant.Status.Phase, grant.Finalizers)
	}

	additions, err := systems.Additions("kars")
	if err != nil {
		t.Fatal(err)
	}
	written := w.Seen.Transitions()
	for _, o := range objects {
		kind, _, _ := strings.Cut(world.Key(o), " ")
		all := slices.Concat(written[o.GetUID()]...)
		if len(all) == 0 {
			t.Errorf("%s has no conditions", kind)
		}
		for _, cell := range all {
			if why := additions[kind+" "+cell]; why != "" && why != "mentioned" {
				t.Errorf("%s has %s, which the tables do not have", kind, cell)
			}
		}
	}
	for _, o := range slices.Backward(objects) {
		w.Remove(t, o)
		w.Gone(t, o)
	}
	if err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	w.options.Cells = complete
}
