// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsapi "github.com/tristate/tristate/operators/vworkspace/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/operators/vworkspace/api/ops/v1alpha1"
	"github.com/tristate/tristate/operators/vworkspace/internal/claim"
	"github.com/tristate/tristate/operators/vworkspace/internal/kit"
	admissionapi "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var (
	key = bytes.Repeat([]byte{7}, claim.MinKeyLength)
	now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

func issue(t *testing.T, name string, lasts time.Duration) string {
	t.Helper()
	text, err := claim.Issue(key, claim.Claim{Namespace: "team", Name: name, By: "ada", At: now.Unix(), Expires: now.Add(lasts).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func operation(text string) *opsapi.Operation {
	o := &opsapi.Operation{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "nightly", Labels: map[string]string{kit.LabelClusterID: "edge-1"}}}
	o.Spec.Approvals.Claim = text
	return o
}

func instance(version, text string) *appsapi.ApplicationInstance {
	o := &appsapi.ApplicationInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop", Annotations: map[string]string{appsapi.AnnotationApprovalClaim: text}}}
	o.Spec.Chart.Version = version
	return o
}

func request(t *testing.T, o, old any) admission.Request {
	t.Helper()
	r := admission.Request{AdmissionRequest: admissionapi.AdmissionRequest{Namespace: "team", Name: "nightly", Kind: metav1.GroupVersionKind(opsapi.GroupVersion.WithKind("Operation"))}}
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
	good := issue(t, "nightly", time.Hour)
	forged := good[:len(good)-4] + map[bool]string{true: "0000", false: "1111"}[!strings.HasSuffix(good, "0000")]
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
		"expired":                           {object: operation(issue(t, "nightly", -time.Hour)), want: claim.ErrExpired.Error()},
		"for another operation":             {object: operation(issue(t, "weekly", time.Hour)), want: claim.ErrOther.Error()},
		"no claim at all":                   {object: operation("secret"), want: claim.ErrMalformed.Error()},
		"another cluster's":                 {object: elsewhere, want: "allowed"},
		"of no cluster":                     {object: unlabelled, want: claim.ErrSignature.Error()},
		"the keys cannot be read":           {object: operation(good), keys: errors.New("the Secret " + good), want: "allowed, " + unverified},
		"an instance without a claim":       {object: instance("1.0.0", ""), want: "allowed"},
		"an instance with a valid claim":    {object: instance("1.1.0", issue(t, "shop@1.1.0", time.Hour)), old: instance("1.0.0", ""), want: "allowed"},
		"an instance at another version":    {object: instance("1.2.0", issue(t, "shop@1.1.0", time.Hour)), old: instance("1.0.0", ""), want: claim.ErrOther.Error()},
		"the version moves on, not a claim": {object: instance("1.2.0", issue(t, "shop@1.1.0", time.Hour)), old: instance("1.1.0", issue(t, "shop@1.1.0", time.Hour)), want: "allowed"},
		"not an object":                     {object: `{"spec":{"approvals":{"claim":7,"approvedBy":"` + good + `"}}}`, want: errUnreadable.Error()},
		"not JSON":                          {object: good, want: errUnreadable.Error()},
		"an old object that cannot be read": {object: operation(forged), old: "{", want: claim.ErrSignature.Error()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := &Claims{ClusterID: "edge-1", Now: func() time.Time { return now }, Keys: func(context.Context) ([][]byte, error) { return [][]byte{key}, test.keys }}
			response := c.Handle(t.Context(), request(t, test.object, test.old))
			got := response.Result.Message
			if response.Allowed {
				got = strings.Join(append([]string{"allowed"}, response.Warnings...), ", ")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if all := fmt.Sprintf("%+v", response); strings.Contains(all, "vws1.") || strings.Contains(all, "secret") {
				t.Errorf("the answer has the claim: %s", all)
			}
		})
	}
}

// FuzzClaims: whatever is written, the webhook does not panic, approves no claim that is not signed, and does not repeat it.
func FuzzClaims(f *testing.F) {
	f.Add(`{"metadata":{"name":"nightly"},"spec":{"approvals":{"claim":"vws1.a.b"}}}`, false)
	f.Add(`{"metadata":{"name":"shop","annotations":{"apps.vworkspace.io/approval-claim":"vws1.e30.00"}},"spec":{"chart":{"version":"1.0.0"}}}`, true)
	f.Fuzz(func(t *testing.T, text string, app bool) {
		c := &Claims{ClusterID: "edge-1", Now: func() time.Time { return now }, Keys: func(context.Context) ([][]byte, error) { return [][]byte{key}, nil }}
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
