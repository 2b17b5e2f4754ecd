// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestParseTTL(t *testing.T) {
	tests := map[string]time.Duration{
		"PT1H": time.Hour, "P1D": 24 * time.Hour, "P1DT2H3M4S": 26*time.Hour + 3*time.Minute + 4*time.Second,
		"P999999999D": 250 * 365 * 24 * time.Hour,
		"":            0, "P": 0, "PT": 0, "P1DT": 0, "PT0S": 0, "P1Y": 0, "P1M": 0, "P1W": 0, "PT1.5S": 0, "1H": 0, "pt1h": 0, "P-1D": 0,
		"PT1H ": 0,
	}
	for text, want := range tests {
		if got, ok := ParseTTL(text); got != want || ok != (want > 0) {
			t.Errorf("ParseTTL(%q) = %s, %v; want %s", text, got, ok, want)
		}
	}
}

func FuzzParseTTL(f *testing.F) {
	f.Add("P1DT2H")
	f.Fuzz(func(t *testing.T, text string) {
		if d, ok := ParseTTL(text); d < 0 || ok && d == 0 {
			t.Errorf("ParseTTL(%q) = %s, %v", text, d, ok)
		}
	})
}

func TestJudge(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	grant := func(change func(*api.EgressApproval)) *api.EgressApproval {
		o := &api.EgressApproval{Spec: api.EgressApprovalSpec{Reason: "r", TTL: "PT1H", Hosts: []api.Endpoint{{Host: "a"}}}}
		change(o)
		return o
	}
	effective := func(o *api.EgressApproval, ago time.Duration) {
		o.Status.EffectiveAt = &metav1.Time{Time: now.Add(-ago)}
		o.Status.ExpiresAt = &metav1.Time{Time: now.Add(time.Hour - ago)}
	}
	tests := map[string]struct {
		object *api.EgressApproval
		more   func(*Facts)
		want   string
	}{
		"waiting": {grant(func(*api.EgressApproval) {}), nil, "False AwaitingRouterEcho, True AwaitingRouterEcho, False Reconciled"},
		"confirmed": {grant(func(*api.EgressApproval) {}), func(f *Facts) { f.Confirmed = true },
			"True RouterConfirmed, False Reconciled, False Reconciled"},
		"blocked": {grant(func(*api.EgressApproval) {}), func(f *Facts) { f.Blocked = "no" },
			"False BlockedOnSandbox, True Reconciling, True BlockedOnSandbox"},
		"reason is bad": {grant(func(o *api.EgressApproval) { o.Spec.Reason = "\x00" }), nil,
			"False ReasonInvalid, False Failed, True ReasonInvalid"},
		"reason outranks ttl": {grant(func(o *api.EgressApproval) { o.Spec.Reason, o.Spec.TTL = "", "never" }), nil,
			"False ReasonInvalid, False Failed, True ReasonInvalid"},
		"too long": {grant(func(o *api.EgressApproval) { o.Spec.TTL = "P8D" }), nil,
			"False TtlExceedsCeiling, False Failed, True TtlExceedsCeiling"},
		"long enough": {grant(func(o *api.EgressApproval) { effective(o, 59*time.Minute) }), func(f *Facts) { f.Confirmed = true },
			"True RouterConfirmed, False Reconciled, False Reconciled"},
		"expired": {grant(func(o *api.EgressApproval) { effective(o, time.Hour) }), func(f *Facts) { f.Confirmed = true },
			"False Expired, False Reconciled, True Expired"},
		"expired outranks a spec that became bad": {grant(func(o *api.EgressApproval) { effective(o, 2*time.Hour); o.Spec.TTL = "never" }), nil,
			"False Expired, False Reconciled, True Expired"},
		"expired stays, whatever is edited": {grant(func(o *api.EgressApproval) {
			effective(o, 2*time.Hour)
			o.Spec.TTL = "P1D"
			o.Status.Conditions = []metav1.Condition{{Type: "Degraded", Status: "True", Reason: "Expired"}}
		}), nil, "False Expired, False Reconciled, True Expired"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := check(test.object, record{}, 7*24*time.Hour, now)
			if test.more != nil {
				test.more(&f)
			}
			p := BeginList(1, nil, now)
			Judge(p, f)
			var got []string
			for _, c := range p.Commit().Conditions() {
				got = append(got, string(c.Status)+" "+c.Reason)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("Ready, Progressing, Degraded: -want +got\n%s", diff)
			}
		})
	}
}

// TestBegin: a grant is over after its ttl, whatever its author writes into its metadata, and whatever is lost of its status. Annotations
// can only bring the end forward.
func TestBegin(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	at := func(d time.Duration) time.Time { return now.Add(d) }
	noted := func(text string) map[string]string { return map[string]string{annotationEffective: text} }
	tests := map[string]struct {
		stored      time.Time // effectiveAt of the status
		record      record
		annotations map[string]string
		effective   time.Time // wanted
		expired     bool
	}{
		"fresh":                      {effective: time.Time{}},
		"in the future, at creation": {annotations: noted("2099-01-01T00:00:00Z")},
		"no time":                    {annotations: noted("never")},
		"in the future, over a status": {stored: at(-time.Minute), annotations: noted("2099-01-01T00:00:00Z"),
			effective: at(-time.Minute)},
		"later than the status": {stored: at(-2 * time.Hour), annotations: noted(at(-time.Minute).Format(time.RFC3339)),
			effective: at(-2 * time.Hour), expired: true},
		"restored without a status": {annotations: noted(at(-2 * time.Hour).Format(time.RFC3339)),
			effective: at(-2 * time.Hour), expired: true},
		"status lost": {record: record{effective: at(-2 * time.Hour)}, effective: at(-2 * time.Hour), expired: true},
		"status lost and moved": {record: record{effective: at(-time.Minute)}, annotations: noted("2099-01-01T00:00:00Z"),
			effective: at(-time.Minute)},
		"status moved":                 {stored: at(time.Hour), record: record{effective: at(-time.Minute)}, effective: at(-time.Minute)},
		"expired, and everything lost": {record: record{expired: at(-time.Minute)}, expired: true},
		"restored after its end":       {annotations: map[string]string{annotationExpired: "x"}, expired: true},
	}
	for name, test := range tests {
		o := &api.EgressApproval{ObjectMeta: metav1.ObjectMeta{Annotations: test.annotations},
			Spec: api.EgressApprovalSpec{Reason: "r", TTL: "PT1H", Hosts: []api.Endpoint{{Host: "a"}}}}
		if !test.stored.IsZero() {
			o.Status.EffectiveAt = &metav1.Time{Time: test.stored}
		}
		f := check(o, test.record, 24*time.Hour, now)
		if !f.Effective.Equal(test.effective) || f.Expired != test.expired {
			t.Errorf("%s: effective %s, expired %v, want %s, %v", name, f.Effective, f.Expired, test.effective, test.expired)
		}
	}
}

// TestFit: what was published stays and newcomers wait, so that the files always fit and no removal is refused for another's size.
func TestFit(t *testing.T) {
	big := strings.Repeat("x", room/2)
	at := time.Unix(1_000_000, 0)
	kept := []entry{{"kept", big, at.Add(time.Hour)}}
	added := []entry{{"second", big, at.Add(time.Minute)}, {"first", "small", at}, {"third", "small", at.Add(2 * time.Minute)}}
	got := fit(kept, added)
	if diff := cmp.Diff([]string{"first", "kept", "third"}, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if n := size(got); n > room {
		t.Errorf("%d bytes", n)
	}
}
