// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestParsePolicy: every mistake is an error that names its place.
func TestParsePolicy(t *testing.T) {
	tests := map[string]struct {
		text string
		want string // of the error; empty: none
	}{
		"nothing": {"", ""},
		"everything": {
			"allowedSources: [\"oci://a/b\"]\napplications:\n- catalogId: odoo\n  approvalRequired: true\n  deniedVersions: [1.0.0]\n  maintenanceWindows:\n  - {schedule: 0 2 * * 6, duration: 2h, timeZone: Europe/Berlin}\n", ""},
		"not YAML":                {"applications: [", "yaml"},
		"a key that is not known": {"allowedSource: [x]", "allowedSource"},
		"the wrong type":          {"applications: {catalogId: odoo}", "applications"},
		"no catalog id": {"applications:\n- {catalogId: odoo}\n- {approvalRequired: true}\n",
			"applications[1] has no catalogId"},
		"a deprecated value without key": {"applications:\n- {catalogId: odoo, deprecatedValues: [{key: a}, {use: b}]}\n",
			"applications[0].deprecatedValues[1] has no key"},
		"a window without schedule": {"applications:\n- {catalogId: odoo, maintenanceWindows: [{duration: 2h}]}\n",
			"applications[0].maintenanceWindows[0]: a window has a schedule"},
		"a zone that is not known": {
			"applications:\n- {catalogId: odoo, maintenanceWindows: [{schedule: 0 2 * * 6, duration: 2h, timeZone: Mars}]}\n",
			`time zone "Mars" is not known`},
		"a key twice": {"allowedSources: [a]\nallowedSources: [b]\n", "allowedSources"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ParsePolicy([]byte(test.text))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("have error %v, want %q", err, test.want)
			}
		})
	}
}

func FuzzParsePolicy(f *testing.F) {
	f.Add("applications:\n- {catalogId: odoo, maintenanceWindows: [{schedule: 0 2 * * 6, duration: 2h, timeZone: Europe/Berlin}]}\n")
	f.Fuzz(func(_ *testing.T, text string) {
		p, err := ParsePolicy([]byte(text))
		if err == nil {
			p.Of("odoo")
			p.Allows("oci://a/b")
		}
	})
}

// TestPolicy_Of: the rules of an application are its own and those of all, whatever their order.
func TestPolicy_Of(t *testing.T) {
	p, err := ParsePolicy([]byte(
		"applications:\n- {catalogId: odoo, deniedVersions: [1.0.0]}\n- {catalogId: wiki, approvalRequired: true}\n- {catalogId: '*', deniedVersions: [0.1.0], maintenanceWindows: [{schedule: 0 2 * * 6, duration: 2h}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	type rules struct {
		Approval bool
		Denied   []string
		Windows  int
	}
	tests := map[string]rules{
		"odoo":  {false, []string{"1.0.0", "0.1.0"}, 1},
		"wiki":  {true, []string{"0.1.0"}, 1},
		"other": {false, []string{"0.1.0"}, 1},
		"":      {false, []string{"0.1.0"}, 1},
	}
	for id, want := range tests {
		r := p.Of(id)
		if diff := cmp.Diff(want, rules{r.ApprovalRequired, r.DeniedVersions, len(r.Windows)}); diff != "" {
			t.Errorf("%q: -want +got\n%s", id, diff)
		}
		slices.Reverse(p.Applications)
		if again := p.Of(id); again.ApprovalRequired != r.ApprovalRequired || len(again.DeniedVersions) != len(r.DeniedVersions) {
			t.Errorf("%q: the order of applications changes its rules", id)
		}
		slices.Reverse(p.Applications)
	}
}

func TestPolicy_Allows(t *testing.T) {
	p := &Policy{AllowedSources: []string{"oci://registry.example.com/charts", "https://charts.example.com/"}}
	tests := map[string]bool{
		"oci://registry.example.com/charts":       true,
		"oci://registry.example.com/charts/team":  true,
		"oci://registry.example.com/charts-other": false,
		"oci://registry.example.com":              false,
		"https://charts.example.com":              true,
		"https://charts.example.com/stable":       true,
		"https://charts.example.com.evil.org":     false,
		"http://charts.example.com/stable":        false,
		"":                                        false,
	}
	for url, want := range tests {
		if got := p.Allows(url); got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
		if !(&Policy{}).Allows(url) {
			t.Errorf("%s: refused by a policy without sources", url)
		}
	}
}

// TestPolicies: the policy is parsed when its text changes; one that cannot be read is an error that names the object, until it is mended.
func TestPolicies(t *testing.T) {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: PolicyName}}
	cluster := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).Build()
	policies := &Policies{Client: cluster, Namespace: "system"}
	get := func() *Policy {
		t.Helper()
		p, err := policies.Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := get(); len(p.AllowedSources)+len(p.Applications) != 0 {
		t.Errorf("without an object there is a policy: %+v", p)
	}
	object.Data = map[string]string{PolicyKey: "allowedSources: [oci://a]", "another key": "["}
	if err := cluster.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	first := get()
	if !first.Allows("oci://a/b") || first.Allows("oci://b") {
		t.Errorf("%+v", first)
	}
	if get() != first {
		t.Error("the same text was parsed again")
	}
	write := func(text string) {
		t.Helper()
		object.Data = map[string]string{PolicyKey: text}
		if err := cluster.Update(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	write("allowedSources: [")
	for range 2 {
		_, err := policies.Get(t.Context())
		var invalid *PolicyError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), PolicyName) {
			t.Errorf("have %v, want an error that names %s", err, PolicyName)
		}
	}
	write("allowedSources: [oci://b]")
	if p := get(); !p.Allows("oci://b") {
		t.Errorf("%+v", p)
	}
	if err := cluster.Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if p := get(); !p.Allows("oci://anything") {
		t.Errorf("the policy is gone, and there is still %+v", p)
	}
}
