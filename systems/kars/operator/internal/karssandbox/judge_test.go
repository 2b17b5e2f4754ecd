// SPDX-License-Identifier: Apache-2.0

package karssandbox

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions/conditionstest"
	"github.com/tristate/tristate/conditions/wire"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/artifact"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func judged(f Facts) map[string]string {
	p := BeginList(1, nil, time.Unix(0, 0))
	Judge(p, f)
	return conditionstest.Cells(p.Commit())
}

// TestPrecedence: with every failure at once the first of the reference's order wins, and so on with each that is mended.
func TestPrecedence(t *testing.T) {
	f := Facts{NoAdapter: "SemanticKernel", Problems: []string{"isolation"}, NoInference: "models", NoEndpoint: true, NoToolPolicy: "tools",
		Absent: []string{"McpServer wiki"},
		Allowlist: Allowlist{Declared: true, Closed: true, Verified: AllowlistVerifiedUnsigned,
			Authoritative: AllowlistAuthoritativeFailedClosed, Text: "unsigned"},
		WriteError: errors.New("refused"), Overlay: true, Suspended: true, Missing: true, Expected: []Expected{{digest.Memory, "x"}},
		Lag:           []string{digest.Memory},
		Unprovisioned: "notes"}
	steps := []struct {
		mend func()
		want string
	}{
		{func() {}, "False AdapterMissing"},
		{func() { f.NoAdapter = "" }, "False SpecInvalid"},
		{func() { f.Problems = nil }, "False InferencePolicyNotFound"},
		{func() { f.NoInference = "" }, "False ToolPolicyNotFound"},
		{func() { f.NoToolPolicy = "" }, "False DependencyMissing"},
		{func() { f.Absent = nil }, "False FailedClosed"},
		{func() { f.Allowlist = Allowlist{} }, "False Failed"},
		{func() { f.NoEndpoint = false }, "False Failed"},
		{func() { f.WriteError = nil }, "True OverlayMode"},
		{func() { f.Overlay = false }, "False SuspendedBySpec"},
		{func() { f.Suspended = false }, "False Creating"},
		{func() { f.Missing = false }, "False Created"},
		{func() { f.Available = true }, "False AwaitingRouterEnforcement"},
		{func() { f.Lag = nil }, "False AwaitingFoundryProvisioning"},
		{func() { f.Unprovisioned = "" }, "True RouterEnforcing"},
		{func() { f.Expected = nil }, "True Reconciled"},
	}
	for _, step := range steps {
		step.mend()
		if got := judged(f)[TypeReady]; got != step.want {
			t.Errorf("Ready is %s, want %s", got, step.want)
		}
	}
}

func TestHealth(t *testing.T) {
	serving := Facts{Available: true, Expected: []Expected{{digest.Memory, "x"}}}
	tests := map[string]struct {
		change func(*Facts)
		want   string
	}{
		"well":                     {func(*Facts) {}, "False Reconciled"},
		"refused outranks missing": {func(f *Facts) { f.Refused, f.StoreMissing, f.Drift = "403", "404", "eval" }, "True AuthMisconfigured"},
		"missing outranks drift":   {func(f *Facts) { f.StoreMissing, f.Drift = "404", "eval" }, "True MemoryStoreMissing"},
		"drift":                    {func(f *Facts) { f.Drift = "eval" }, "True EvalDrift"},
		"no row, no statement":     {func(f *Facts) { f.Absent = []string{"McpServer wiki"} }, ""},
		"a broken workload":        {func(f *Facts) { f.Broken = "quota" }, ""},
		"suspended":                {func(f *Facts) { f.Suspended = true }, "False Reconciled"},
		// which Ready names
		"closed, and no models":      {func(f *Facts) { f.Allowlist.Closed, f.NoInference = true, "models" }, "True FailedClosed"},
		"a closed list outranks all": {func(f *Facts) { f.Allowlist.Closed, f.Refused = true, "403" }, "True FailedClosed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := serving
			test.change(&f)
			if got := judged(f)[TypeDegraded]; got != test.want {
				t.Errorf("Degraded is %s, want %s", got, test.want)
			}
		})
	}
}

// TestWaits: the Deployment and the router are waited for half an hour each, anew for another generation, and Ready names the wait also
// afterwards. A store that nobody has provisioned is waited for without end.
func TestWaits(t *testing.T) {
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	o := &api.KarsSandbox{}
	for _, step := range []struct {
		minute     int
		generation int64
		facts      Facts
		want       string // Ready, Progressing
	}{
		{0, 1, Facts{}, "False Created, True Creating"},
		{29, 1, Facts{}, "False Created, True Creating"},
		{30, 1, Facts{}, "False Created, False TimedOut"},
		{31, 2, Facts{}, "False Created, True Creating"},
		{50, 2, Facts{Available: true, Lag: []string{"x"}}, "False AwaitingRouterEnforcement, True Reconciling"},
		{79, 2, Facts{Available: true, Lag: []string{"x"}}, "False AwaitingRouterEnforcement, True Reconciling"},
		{80, 2, Facts{Available: true, Lag: []string{"x"}}, "False AwaitingRouterEnforcement, False TimedOut"},
		{81, 2, Facts{Available: true, Unprovisioned: "notes"}, "False AwaitingFoundryProvisioning, True Reconciling"},
		{999, 2, Facts{Available: true, Unprovisioned: "notes"}, "False AwaitingFoundryProvisioning, True Reconciling"},
		{1000, 2, Facts{Available: true}, "True Reconciled, False Reconciled"},
	} {
		o.Generation, step.facts.Generation = step.generation, step.generation
		p := Begin(o, start.Add(time.Duration(step.minute)*time.Minute))
		Judge(p, step.facts)
		result := p.Commit()
		if result.Changed {
			o.Status.Conditions = wire.ToMeta(result.Conditions())
		}
		o.Status.Waits = result.Waits
		cells := conditionstest.Cells(result)
		if got := cells[TypeReady] + ", " + cells[TypeProgressing]; got != step.want {
			t.Errorf("minute %d: %s, want %s", step.minute, got, step.want)
		}
	}
}

// TestSuspended: "Operator has paused the object via spec.suspended: true": it was asked for, and neither Deployment runs. Nothing else is
// Suspended=True, whatever else holds of the sandbox.
func TestSuspended(t *testing.T) {
	for name, f := range map[string]Facts{"overlay": {Overlay: true}, "blocked": {NoToolPolicy: "x"}, "serving": {Available: true},
		"invalid": {Problems: []string{"x"}}, "refused": {WriteError: errors.New("x")}, "closed": {Allowlist: Allowlist{Closed: true}}} {
		for _, running := range []bool{true, false} {
			f.Suspended, f.Running = false, running
			if got, there := judged(f)[TypeSuspended]; there {
				t.Errorf("%s: Suspended is %s", name, got)
			}
			f.Suspended = true
			got, want := judged(f), "True SuspendedBySpec"
			if running || f.Overlay {
				want = ""
			}
			if got[TypeSuspended] != want || running && got[TypeReady] == "False SuspendedBySpec" {
				t.Errorf("%s and suspended, running %v: Suspended is %q, Ready %s", name, running, got[TypeSuspended], got[TypeReady])
			}
		}
	}
}

// TestSuspendedOnceTrue: a sandbox that was never suspended does not report that it is active.
func TestSuspendedOnceTrue(t *testing.T) {
	if got, there := judged(Facts{})[TypeSuspended]; there {
		t.Errorf("Suspended is %s", got)
	}
	p := BeginList(1, nil, time.Unix(0, 0))
	Judge(p, Facts{Suspended: true})
	p2 := BeginList(2, p.Commit().Conditions(), time.Unix(1, 0))
	Judge(p2, Facts{})
	if got := conditionstest.Cells(p2.Commit())[TypeSuspended]; got != "False Active" {
		t.Errorf("Suspended is %s after it was", got)
	}
}

// TestAllowlistTable has a case for each row of the table of the reference.
func TestAllowlistTable(t *testing.T) {
	list := func(host string) []byte {
		out, err := artifact.NewAllowlist(4, []digest.Endpoint{{Host: host, Port: 443}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	ref := &api.ArtifactRef{Digest: "sha256:1"}
	inline := []api.Endpoint{{Host: "a"}}
	unsigned, broken, away := &artifact.Failure{Class: artifact.IdentityMismatch}, &artifact.Failure{Class: artifact.NotFound},
		&artifact.Failure{Class: artifact.Unreachable}
	verified := []metav1.Condition{{Type: TypeAllowlistVerified, Status: "True", Reason: "Verified"}}
	drifted := append([]metav1.Condition{{Type: TypeAllowlistDrift, Status: "True"}}, verified...)
	cleared := append([]metav1.Condition{{Type: TypeAllowlistDrift, Status: "False"}}, verified...)
	refused := []metav1.Condition{{Type: TypeAllowlistVerified, Status: "False", Reason: "Unsigned"}}
	tests := map[string]struct {
		spec    *api.NetworkSpec
		signed  bool
		outcome Outcome
		stored  []metav1.Condition
		want    string // Verified Authoritative Drift closed endpoints gone
		about   string // digest that stored is about, where it is another
	}{
		"1 no policy":        {nil, false, Outcome{}, nil, "- - - open [] gone 3", ""},
		"1 nothing declared": {&api.NetworkSpec{}, false, Outcome{}, nil, "- - - open [] gone 3", ""},
		"2 inline": {&api.NetworkSpec{AllowedEndpoints: inline}, false, Outcome{}, nil, "Unsigned Inline - open [a] gone 1",
			""},
		"3 inline, but signed": {&api.NetworkSpec{AllowedEndpoints: inline}, true, Outcome{}, nil,
			"Unsigned FailedClosed - closed [] gone 1", ""},
		"4 verified": {&api.NetworkSpec{AllowlistRef: ref}, true, Outcome{Content: list("b")}, nil,
			"Verified Verified - open [b] gone 0", ""},
		"4 verified, same inline": {&api.NetworkSpec{AllowlistRef: ref, AllowedEndpoints: inline}, false, Outcome{Content: list("a")}, nil,
			"Verified Verified - open [a] gone 0", ""},
		"4 verified, other inline": {&api.NetworkSpec{AllowlistRef: ref, AllowedEndpoints: inline}, false, Outcome{Content: list("b")}, nil,
			"Verified InlineDiffersFromArtifact InlineDiffersFromArtifact open [b] gone 0", ""},
		"4 drift is over": {&api.NetworkSpec{AllowlistRef: ref}, false, Outcome{Content: list("b")}, drifted,
			"Verified Verified InlineCleared open [b] gone 0", ""},
		"4 drift was over": {&api.NetworkSpec{AllowlistRef: ref}, false, Outcome{Content: list("b")}, cleared,
			"Verified Verified InlineCleared open [b] gone 0", ""},
		"5 unsigned, kept": {&api.NetworkSpec{AllowlistRef: ref}, false, Outcome{Failure: unsigned, Kept: list("k")}, drifted,
			"Unsigned StaleLKG - open [k] gone 0", ""},
		"5 broken, kept": {&api.NetworkSpec{AllowlistRef: ref}, false, Outcome{Failure: broken, Kept: list("k")}, nil,
			"FailedClosed StaleLKG - open [k] gone 0", ""},
		"6 unsigned": {&api.NetworkSpec{AllowlistRef: ref}, false, Outcome{Failure: unsigned}, nil,
			"Unsigned FailedClosed - closed [] gone 0", ""},
		"6 not canonical": {&api.NetworkSpec{AllowlistRef: ref}, false, Outcome{Content: append(list("b"), '#')}, nil,
			"FailedClosed FailedClosed - closed [] gone 0", ""},
		"7 away, kept": {&api.NetworkSpec{AllowlistRef: ref}, false, Outcome{Failure: away, Kept: list("k")}, verified,
			"- - - open [k] gone 0", ""},
		"7 away, nothing kept": {&api.NetworkSpec{AllowlistRef: ref}, false, Outcome{Failure: away}, verified,
			"FailedClosed FailedClosed - closed [] gone 0", ""},
		"7 away, another was verified": {&api.NetworkSpec{AllowlistRef: ref}, false, Outcome{Failure: away, Kept: list("k")}, verified,
			"FailedClosed StaleLKG - open [k] gone 0", "sha256:2"},
		"7 away, another was refused": {&api.NetworkSpec{AllowlistRef: ref}, false, Outcome{Failure: away}, refused,
			"FailedClosed FailedClosed - closed [] gone 0", "sha256:2"},
		"7 away, refused before": {&api.NetworkSpec{AllowlistRef: ref}, false, Outcome{Failure: away}, refused,
			"- FailedClosed - closed [] gone 0", ""},
	}
	word := func(cell string) string { // the reason of STATUS/REASON
		_, reason, _ := strings.Cut(cell, "/")
		return cmp.Or(reason, "-")
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := JudgeAllowlist(test.spec, test.signed, test.outcome, test.stored, cmp.Or(test.about, ref.Digest))
			state := "open"
			if a.Closed {
				state = "closed"
			}
			gone := 0
			if !a.Declared {
				gone = 2
			}
			if a.NoArtifact {
				gone++
			}
			var hosts []string
			for _, e := range a.Endpoints {
				hosts = append(hosts, e.Host)
			}
			got := strings.Join([]string{word(string(a.Verified)), word(string(a.Authoritative)), word(string(a.Drift)), state, "[" +
				strings.Join(hosts, " ") + "]", "gone", strconv.Itoa(gone)}, " ")
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
