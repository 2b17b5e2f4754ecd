// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	admissionapi "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// keyPair returns a private key and its public key.
func keyPair() (any, claim.Keys) {
	private, public, err := claim.Generate()
	if err != nil {
		panic(err)
	}
	key, err := claim.ParsePrivate(private)
	if err != nil {
		panic(err)
	}
	return key, claim.ParseKeys(map[string][]byte{"ada-1": public})
}

var (
	ada, keys = keyPair()
	eve, _    = keyPair()
)

// subject is that of the operator, without resolved objects.
func subject(_ context.Context, o client.Object) (claim.Subject, error) {
	if instance, ok := o.(*appsapi.ApplicationInstance); ok {
		return claim.Instance("edge-1", instance)
	}
	return claim.Operation("edge-1", o.(*opsapi.Operation), nil)
}

// issue returns a claim for an object.
func issue(t *testing.T, key any, o client.Object, lasts time.Duration) string {
	t.Helper()
	s, err := subject(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := claim.Issue(key, "ada-1", "ada", s, now.Add(min(lasts, 0)-time.Minute), now.Add(lasts))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func operation(text string) *opsapi.Operation {
	o := &opsapi.Operation{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "nightly", UID: "1",
		Labels: map[string]string{kit.LabelClusterID: "edge-1"}}}
	o.Spec.Approvals.Claim = text
	return o
}

func instance(version, text string) *appsapi.ApplicationInstance {
	o := &appsapi.ApplicationInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop", UID: "2",
		Annotations: map[string]string{appsapi.AnnotationApprovalClaim: text}}}
	o.Spec.Chart.Version = version
	return o
}

func request(t *testing.T, o, old any) admission.Request {
	t.Helper()
	r := admission.Request{AdmissionRequest: admissionapi.AdmissionRequest{Namespace: "team", Name: "nightly",
		Kind: metav1.GroupVersionKind(opsapi.GroupVersion.WithKind("Operation"))}}
	if _, ok := o.(*appsapi.ApplicationInstance); ok {
		r.Kind = metav1.GroupVersionKind(appsapi.GroupVersion.WithKind("ApplicationInstance"))
	}
	for into, value := range map[*runtime.RawExtension]any{&r.Object: o, &r.OldObject: old} {
		switch value := value.(type) {
		case nil:
		case string:
			into.Raw = []byte(value)
		default:
			data, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			into.Raw = data
		}
	}
	return r
}

func TestClaims(t *testing.T) {
	good, forged := issue(t, ada, operation(""), time.Hour), issue(t, eve, operation(""), time.Hour)
	approved := issue(t, ada, instance("1.1.0", ""), time.Hour)
	again := operation(good)
	again.UID = "3"
	edited := operation(good)
	edited.Spec.Parameters.TimeoutSeconds = 5
	elsewhere := operation(forged)
	elsewhere.Labels[kit.LabelClusterID] = "edge-2"
	unlabelled := operation(forged)
	unlabelled.Labels = nil
	tests := map[string]struct {
		object, old any
		keys        error
		want        string // the answer: allowed, or the message of the refusal
	}{
		"no claim":                          {object: operation(""), want: "allowed"},
		"a valid claim":                     {object: operation(good), want: "allowed"},
		"a valid claim later":               {object: operation(good), old: operation(""), want: "allowed"},
		"forged":                            {object: operation(forged), want: claim.ErrSignature.Error()},
		"forged, later":                     {object: operation(forged), old: operation(good), want: claim.ErrSignature.Error()},
		"forged, and stored already":        {object: operation(forged), old: operation(forged), want: "allowed"},
		"taken back":                        {object: operation(""), old: operation(good), want: "allowed"},
		"expired":                           {object: operation(issue(t, ada, operation(""), -time.Hour)), want: claim.ErrExpired.Error()},
		"of an operation that was deleted":  {object: again, want: claim.ErrOther.Error()},
		"of the operation before an edit":   {object: edited, want: claim.ErrChanged.Error()},
		"of an instance":                    {object: operation(approved), want: claim.ErrOther.Error()},
		"no claim at all":                   {object: operation("secret"), want: claim.ErrMalformed.Error()},
		"another cluster's":                 {object: elsewhere, want: "allowed"},
		"of no cluster":                     {object: unlabelled, want: claim.ErrSignature.Error()},
		"the keys cannot be read":           {object: operation(good), keys: errors.New("the Secret " + good), want: "allowed, " + unverified},
		"an instance without a claim":       {object: instance("1.0.0", ""), want: "allowed"},
		"an instance with a valid claim":    {object: instance("1.1.0", approved), old: instance("1.0.0", ""), want: "allowed"},
		"an instance at another version":    {object: instance("1.2.0", approved), old: instance("1.0.0", ""), want: claim.ErrChanged.Error()},
		"the version moves on, not a claim": {object: instance("1.2.0", approved), old: instance("1.1.0", approved), want: "allowed"},
		"not an object": {object: `{"spec":{"approvals":{"claim":7,"by":"` + good + `"}}}`,
			want: errUnreadable.Error()},
		"not JSON":                          {object: good, want: errUnreadable.Error()},
		"an old object that cannot be read": {object: operation(forged), old: "{", want: claim.ErrSignature.Error()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := &Claims{ClusterID: "edge-1", Now: func() time.Time { return now }, Subject: subject,
				Keys: func(context.Context) (claim.Keys, error) { return keys, test.keys }}
			response := c.Handle(t.Context(), request(t, test.object, test.old))
			got := response.Result.Message
			if response.Allowed {
				got = strings.Join(append([]string{"allowed"}, response.Warnings...), ", ")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if all := fmt.Sprintf("%+v", response); strings.Contains(all, good) || strings.Contains(all, "secret") {
				t.Errorf("the answer has the claim: %s", all)
			}
		})
	}
}

// TestAdmit: an operation with a problem of its own is denied when it is created; one that conflicts with another is admitted as blocked;
// an edit, and what cannot be found out, is admitted.
func TestAdmit(t *testing.T) {
	good := issue(t, ada, operation(""), time.Hour)
	foreign := operation("")
	foreign.Labels[kit.LabelClusterID] = "edge-2"
	const blocked = "allowed, Blocked=True ConflictingOperation: Restore monthly is in flight on the same target; this operation starts when the other one has ended"
	tests := map[string]struct {
		object, old any
		problems    []string
		conflict    string
		err         error
		want        string
	}{
		"nothing is in the way":    {object: operation(""), want: "allowed"},
		"another one is in flight": {object: operation(""), conflict: "Restore monthly is in flight on the same target", want: blocked},
		"with a claim":             {object: operation(good), conflict: "Restore monthly is in flight on the same target", want: blocked},
		"with a forged claim": {object: operation(issue(t, eve, operation(""), time.Hour)), conflict: "Restore monthly",
			want: claim.ErrSignature.Error()},
		"it was created before": {object: operation(""), old: operation(""), conflict: "Restore monthly", want: "allowed"},
		"problems": {object: operation(""), problems: []string{"engine helm cannot do a Backup", "it is too late"},
			want: "engine helm cannot do a Backup; it is too late"},
		"problems of one that exists":   {object: operation(""), old: operation(""), problems: []string{"bad"}, want: "allowed"},
		"of another cluster":            {object: foreign, problems: []string{"bad"}, want: "allowed"},
		"an instance":                   {object: instance("1.0.0", ""), problems: []string{"bad"}, want: "allowed"},
		"the operations cannot be read": {object: operation(""), err: errors.New("timeout"), want: "allowed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := &Claims{ClusterID: "edge-1", Now: func() time.Time { return now }, Subject: subject,
				Keys: func(context.Context) (claim.Keys, error) { return keys, nil },
				Admit: func(_ context.Context, o *opsapi.Operation) ([]string, string, error) {
					if o.Namespace != "team" {
						t.Errorf("the operation is in namespace %q", o.Namespace)
					}
					return test.problems, test.conflict, test.err
				}}
			response := c.Handle(t.Context(), request(t, test.object, test.old))
			got := response.Result.Message
			if response.Allowed {
				got = strings.Join(append([]string{"allowed"}, response.Warnings...), ", ")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// FuzzClaims: whatever is written, the webhook does not panic, approves no claim that is not signed, and does not repeat it.
func FuzzClaims(f *testing.F) {
	f.Add(`{"metadata":{"name":"nightly"},"spec":{"approvals":{"claim":"vws1.a.b"}}}`, false)
	f.Add(`{"metadata":{"name":"shop","annotations":{"apps.vworkspace.io/approval-claim":"vws1.e30.00"}},"spec":{"chart":{"version":"1.0.0"}}}`, true)
	f.Fuzz(func(t *testing.T, text string, app bool) {
		c := &Claims{ClusterID: "edge-1", Now: func() time.Time { return now }, Subject: subject,
			Keys: func(context.Context) (claim.Keys, error) { return keys, nil }}
		var o any = text
		r := request(t, o, nil)
		if app {
			r.Kind.Group = appsapi.GroupVersion.Group
		}
		response := c.Handle(t.Context(), r)
		w, err := c.read(r.Kind, r.Object.Raw)
		if response.Allowed && err == nil && w.claim != "" && !w.foreign {
			t.Errorf("%q was accepted", w.claim)
		}
		if len(w.claim) > 20 && strings.Contains(response.Result.Message, w.claim[:20]) {
			t.Errorf("the answer repeats the claim: %s", response.Result.Message)
		}
	})
}
