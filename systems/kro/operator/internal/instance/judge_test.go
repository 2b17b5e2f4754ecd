// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/cel/library"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	"github.com/tristate/tristate/verdict"
)

// kind is a kind with two resources, a custom condition that counts, one that counts while it is False, and one that informs.
func kind(t *testing.T) *declare.Kind {
	t.Helper()
	rgd := &v1alpha1.ResourceGraphDefinition{}
	rgd.Name = "shop"
	rgd.Spec.Schema = &v1alpha1.Schema{Group: "kro.run", APIVersion: "v1alpha1", Kind: "Shop",
		Metadata: &v1alpha1.CRDMetadata{Annotations: map[string]string{
			declare.Annotation: "[{type: Reachable, role: dependent}, {type: Overdue, role: dependent, polarity: negative}, {type: Cost}]"}}}
	k, err := declare.Of(rgd, []string{"web", "svc"})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func well(id string) Resource {
	return Resource{ID: id, Children: []Child{{Name: "Thing/" + id, Verdict: verdict.Current, Message: "fine"}}}
}

func says(name, status string) library.Condition {
	return library.Condition{ConditionType: name, Status: status, Reason: "Said"}
}

var healthy = []library.Condition{says("Reachable", "True"), says("Overdue", "False"), says("Cost", "False")}

// TestJudge: cells of each kind of fact.
func TestJudge(t *testing.T) {
	k := kind(t)
	resource := func(change func(*Resource)) Facts {
		r := well("web")
		change(&r)
		return Facts{Resources: []Resource{r, well("svc")}, Custom: healthy}
	}
	tests := map[string]struct {
		facts Facts
		want  map[string]string
	}{
		"well": {resource(func(*Resource) {}),
			map[string]string{"Ready": "True AllReady", "ResourcesReady": "True AllResourcesReady"}},
		"in progress": {resource(func(r *Resource) { r.Children[0].Verdict = verdict.InProgress }),
			map[string]string{"Ready": "Unknown Progressing", declare.ResourceType("web"): "Unknown Progressing"}},
		"failed": {resource(func(r *Resource) { r.Children[0].Verdict = verdict.Failed }),
			map[string]string{"Ready": "False Failed", declare.ResourceType("web"): "False Failed"}},
		"off": {resource(func(r *Resource) { r.Children[0].Verdict = verdict.Suspended }),
			map[string]string{"Ready": "Unknown Suspended"}},
		"unknown": {resource(func(r *Resource) { r.Children[0].Verdict = verdict.Unknown }),
			map[string]string{"Ready": "Unknown Progressing"}},
		"going": {resource(func(r *Resource) { r.Children[0].Going = true }), map[string]string{"Ready": "Unknown Deleting"}},
		"without its object": {resource(func(r *Resource) { r.Children = nil }), map[string]string{"Ready": "Unknown NotFound",
			declare.ResourceType("web"): "Unknown NotFound"}},
		"an external one is missing": {resource(func(r *Resource) {
			*r = Resource{ID: "web", External: true, Children: []Child{{Name: "Thing/web", Missing: true}}}
		}),
			map[string]string{"Ready": "Unknown NotFound", declare.ResourceType("web"): "Unknown NotFound"}},
		"an external one is in progress": {resource(func(r *Resource) { r.External, r.Children[0].Verdict = true, verdict.InProgress }),
			map[string]string{"Ready": "Unknown Progressing"}},
		"an external one failed": {resource(func(r *Resource) { r.External, r.Children[0].Verdict = true, verdict.Failed }),
			map[string]string{"Ready": "False Failed"}},
		"readyWhen decides over an external one": {resource(func(r *Resource) {
			r.External, r.Asked, r.Children[0].Verdict = true, true,
				verdict.Failed
		}),
			map[string]string{"Ready": "True AllReady", declare.ResourceType("web"): "True ReadyByReadyWhen"}},
		"an empty collection": {resource(func(r *Resource) { r.Children, r.Many = nil, true }), map[string]string{"Ready": "True AllReady"}},
		"left out": {resource(func(r *Resource) { r.Children, r.Excluded = nil, true }),
			map[string]string{"Ready": "True AllReady", declare.ResourceType("web"): "True Excluded"}},
		"refused": {resource(func(r *Resource) { r.Apply = &Trouble{true, "no"} }),
			map[string]string{"Ready": "False NotReady", "InstanceSynced": "False SyncFailed", declare.ResourceType("web"): "False Refused"}},
		"sent again": {resource(func(r *Resource) { r.Apply = &Trouble{false, "busy"} }),
			map[string]string{"Ready": "Unknown Retrying", "InstanceSynced": "Unknown Retrying"}},
		"an expression waits": {resource(func(r *Resource) { r.Waiting = "x" }), map[string]string{"Ready": "Unknown Reconciling",
			"GraphResolved": "Unknown WaitingForData", "InstanceSynced": "Unknown Syncing"}},
		"an expression fails": {resource(func(r *Resource) { r.Broken = "x" }), map[string]string{"Ready": "False ResolutionFailed",
			"GraphResolved": "False ResolutionFailed"}},
		"readyWhen holds": {resource(func(r *Resource) { r.Asked = true }),
			map[string]string{"Ready": "True AllReady", declare.ResourceType("web"): "True ResourceReady"}},
		"readyWhen decides": {resource(func(r *Resource) { r.Asked, r.Children[0].Verdict = true, verdict.Failed }),
			map[string]string{"Ready": "True AllReady", declare.ResourceType("web"): "True ReadyByReadyWhen"}},
		"readyWhen lags": {resource(func(r *Resource) { r.Asked, r.Unmet = true, "a.b" }), map[string]string{"Ready": "Unknown NotReady",
			declare.ResourceType("web"): "Unknown NotReady"}},
		"readyWhen, and failed": {resource(func(r *Resource) { r.Asked, r.Unmet, r.Children[0].Verdict = true, "a.b", verdict.Failed }),
			map[string]string{"Ready": "False Failed"}},
		"overdue": {Facts{Resources: []Resource{well("web"), well("svc")}, Custom: []library.Condition{says("Reachable", "True"),
			says("Overdue", "True")}}, map[string]string{"Ready": "False Said", "Overdue": "True Said"}},
		"nothing is known of a condition that counts": {Facts{Resources: []Resource{well("web"), well("svc")}, Custom: healthy[1:],
			Silent: []string{"Reachable"}},
			map[string]string{"Ready": "Unknown WaitingForData", "Reachable": "Unknown WaitingForData"}},
		"no longer accepted": {Facts{Definition: &Trouble{true, "x"}}, map[string]string{"Ready": "False DefinitionInvalid"}},
		"without definition": {Facts{Definition: &Trouble{true, "x"}, Missing: true}, map[string]string{"Ready": "False DefinitionMissing",
			"GraphResolved": "False DefinitionMissing"}},
		"not accepted yet": {Facts{Definition: &Trouble{false, "x"}}, map[string]string{"Ready": "Unknown"}},
		"unmanaged": {Facts{Managed: &Trouble{true, "x"}, Resources: []Resource{well("web"), well("svc")}, Custom: healthy},
			map[string]string{"Ready": "False ManagementFailed"}},
		"being deleted": {Facts{Deleting: true, Going: "x"},
			map[string]string{"Ready": "Unknown", "InstanceSynced": "Unknown UnderDeletion"}},
		"deletion blocked": {Facts{Deleting: true, Blocked: &Trouble{true, "x"}}, map[string]string{"Ready": "False DeletionBlocked",
			"InstanceSynced": "False DeletionBlocked"}},
		"waits of several kinds": {Facts{Resources: []Resource{{ID: "web", Waiting: "svc.status.ip"},
			{ID: "svc", Children: []Child{{Name: "Thing/svc", Verdict: verdict.InProgress}}}}, Custom: healthy},
			map[string]string{"Ready": "Unknown Reconciling", "ResourcesReady": "Unknown Progressing"}},
		"faults of several kinds": {Facts{Resources: []Resource{{ID: "web", Broken: "x"},
			{ID: "svc", Children: []Child{{Name: "Thing/svc", Verdict: verdict.Failed}}}}, Custom: healthy},
			map[string]string{"Ready": "False ResolutionFailed", "ResourcesReady": "False ResolutionFailed"}},
		"suspended": {Facts{Suspended: true, Resources: []Resource{well("web"), well("svc")}, Custom: healthy},
			map[string]string{"Ready": "Unknown Suspended"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := judged(t, k, nil, tt.facts)
			got := map[string]string{}
			for name, want := range tt.want {
				if i := conditions.Find(r.Conditions(), name); i >= 0 {
					got[name] = string(r.Conditions()[i].Status) + " " + r.Conditions()[i].Reason
					if len(want) < 8 {
						got[name] = string(r.Conditions()[i].Status)
					}
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("cells (-want +got):\n%s\n%v", diff, r.Conditions())
			}
		})
	}
}

func judged(t *testing.T, k *declare.Kind, stored []conditions.Condition, f Facts) conditions.Result {
	t.Helper()
	p := k.Conditions.Begin(1, stored, time.Unix(1700000000, 0))
	Judge(p, f)
	r := p.Commit()
	for _, err := range r.Errors {
		t.Errorf("%v of %+v", err, f)
	}
	return r
}

// TestJudge_recent: "the most important and most recent change" reaches the top level: of two resources that fail alike the one that failed
// last comes first, and a failure comes before progress, however recent that is.
func TestJudge_recent(t *testing.T) {
	k, start := kind(t), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	in := func(web, svc verdict.Status) Facts {
		f := Facts{Resources: []Resource{well("web"), well("svc")}, Custom: healthy}
		f.Resources[0].Children[0].Verdict, f.Resources[1].Children[0].Verdict = web, svc
		return f
	}
	var stored []conditions.Condition
	for i, step := range []struct {
		web, svc verdict.Status
		first    string
	}{
		{verdict.Current, verdict.Failed, declare.ResourceType("svc")},
		{verdict.Failed, verdict.Failed, declare.ResourceType("web")},
		{verdict.Failed, verdict.InProgress, declare.ResourceType("web")},
		{verdict.Failed, verdict.Failed, declare.ResourceType("svc")},
	} {
		p := k.With([]string{"Reachable", "Overdue", "Cost"}).Begin(1, stored, start.Add(time.Duration(i)*time.Minute))
		Judge(p, in(step.web, step.svc))
		stored = p.Commit().Conditions()
		message := stored[conditions.Find(stored, declare.ResourcesReady)].Message
		if first, _, _ := strings.Cut(message, "("); first != step.first {
			t.Errorf("step %d: the message begins with %s, want %s: %s", i, first, step.first, message)
		}
	}
}

// TestJudge_laws: over random facts Ready is True only when everything that counts is, False only where a person must act, and a second
// pass over the same facts changes nothing.
func TestJudge_laws(t *testing.T) {
	k := kind(t)
	random := rand.New(rand.NewPCG(1, 2))
	flip := func() bool { return random.IntN(4) == 0 }
	trouble := func() *Trouble {
		if flip() {
			return &Trouble{Final: flip(), Text: "text"}
		}
		return nil
	}
	var stored []conditions.Condition
	for range 20000 {
		f := Facts{Suspended: random.IntN(20) == 0, Managed: nil, Prune: nil, Pruning: random.IntN(20) == 0}
		if random.IntN(10) == 0 {
			f.Managed = trouble()
		}
		if random.IntN(10) == 0 {
			f.Prune = trouble()
		}
		calm, act := !f.Suspended && f.Managed == nil && f.Prune == nil && !f.Pruning, f.Managed != nil && f.Managed.Final || f.Prune != nil &&
			f.Prune.Final && f.Managed == nil
		for _, id := range []string{"web", "svc"} {
			r := well(id)
			r.Children[0].Verdict = verdict.Statuses[random.IntN(len(verdict.Statuses))]
			if flip() {
				r.Children = append(r.Children, Child{Name: "Thing/b", Verdict: verdict.Current, Missing: flip(), Going: flip()})
			}
			if flip() {
				r.Asked = true
				if flip() {
					r.Unmet = "x"
				}
			}
			if flip() {
				r.Apply = trouble()
			}
			if random.IntN(8) == 0 {
				r.Waiting = "x"
			}
			if random.IntN(16) == 0 {
				r.Broken = "x"
			}
			if random.IntN(8) == 0 {
				r = Resource{ID: id, Excluded: true}
			}
			f.Resources = append(f.Resources, r)
			ok := r.Excluded || r.Apply == nil && r.Waiting == "" && r.Broken == ""
			for _, c := range r.Children {
				ok = ok && !c.Missing && !c.Going && (r.Asked || c.Verdict == verdict.Current)
				act = act || !c.Missing && !c.Going && c.Verdict.Broken()
			}
			calm = calm && ok && r.Unmet == ""
			act = act || r.Broken != "" || r.Apply != nil && r.Apply.Final
		}
		for _, name := range []string{"Reachable", "Overdue", "Cost"} {
			status := []string{"True", "False", "Unknown"}[random.IntN(3)]
			f.Custom = append(f.Custom, says(name, status))
			good := map[string]string{"Reachable": "True", "Overdue": "False"}[name]
			calm = calm && (good == "" || status == good)
			act = act || good != "" && status != good && status != "Unknown"
		}
		result := judged(t, k, stored, f)
		ready := result.Conditions()[conditions.Find(result.Conditions(), declare.Ready)]
		if (ready.Status == conditions.True) != calm {
			t.Fatalf("Ready is %s %s, and everything that counts is well: %v\n%+v", ready.Status, ready.Reason, calm, f)
		}
		if ready.Status == conditions.False && !act {
			t.Fatalf("Ready is False %s (%s) although nobody has to act\n%+v", ready.Reason, ready.Message, f)
		}
		for _, c := range result.Conditions() {
			if c.Reason == "UnderDeletion" || c.Reason == "ResourceDeleting" || c.Reason == "ReconciliationSuspended" {
				t.Fatalf("%s is %s %s (%s) of a live instance that is not suspended by kro\n%+v", c.Type, c.Status, c.Reason, c.Message, f)
			}
		}
		if again := judged(t, k, result.Conditions(), f); again.Changed {
			t.Fatalf("a second pass changes\n%s", cmp.Diff(result.Conditions(), again.Conditions()))
		}
		stored = result.Conditions()
	}
}

// TestDiffers: what counts as the same object.
func TestDiffers(t *testing.T) {
	have := map[string]any{"a": int64(1), "list": []any{map[string]any{"x": "y", "defaulted": true}}, "more": "z"}
	tests := map[string]struct {
		want any
		at   string
	}{
		"part":           {map[string]any{"a": 1.0, "list": []any{map[string]any{"x": "y"}}}, ""},
		"null":           {map[string]any{"b": nil}, ""},
		"value":          {map[string]any{"a": int64(2)}, ".a"},
		"missing":        {map[string]any{"b": "c"}, ".b"},
		"in a list":      {map[string]any{"list": []any{map[string]any{"x": "q"}}}, ".list[0].x"},
		"a longer list":  {map[string]any{"list": []any{map[string]any{"x": "y"}, "z"}}, ".list"},
		"empty":          {map[string]any{"none": map[string]any{}}, ""},
		"another shape":  {map[string]any{"more": []any{"z"}}, ".more"},
		"a map for text": {map[string]any{"more": map[string]any{"z": 1}}, ".more"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if at := differs(tt.want, have, ""); at != tt.at {
				t.Errorf("differs at %q, want %q", at, tt.at)
			}
		})
	}
}

// TestContests: the sixth correction within the window makes a contest, which is corrected once a minute.
func TestContests(t *testing.T) {
	var c contests
	now := time.Unix(1700000000, 0)
	for i := range 6 {
		if free, contested := c.correct("u", now.Add(time.Duration(i)*time.Second)); !free || contested {
			t.Fatalf("correction %d: free %v, contested %v", i, free, contested)
		}
	}
	tests := map[string]struct {
		after           time.Duration
		free, contested bool
	}{
		"at once":      {10 * time.Second, false, true},
		"later":        {70 * time.Second, true, true},
		"soon again":   {80 * time.Second, false, true},
		"half an hour": {30 * time.Minute, true, false},
	}
	for _, name := range []string{"at once", "later", "soon again", "half an hour"} {
		tt := tests[name]
		if free, contested := c.correct("u", now.Add(tt.after)); free != tt.free || contested != tt.contested {
			t.Errorf("%s: free %v, contested %v", name, free, contested)
		}
	}
}
