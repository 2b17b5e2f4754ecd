// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions/wire"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// TestDeprecated: an application with a deprecated values key is Ready=True HelmReleaseReadyWithWarnings, and the message has each warning.
func TestDeprecated(t *testing.T) {
	policy, err := kit.ParsePolicy([]byte(`applications:
- catalogId: odoo
  deprecatedValues: [{key: web.host, use: ingress.host}, {key: legacy}]
- catalogId: "*"
  deprecatedValues: [{key: replicas, use: scale.replicas}]
- catalogId: wiki
  deprecatedValues: [{key: theme}]
`))
	if err != nil {
		t.Fatal(err)
	}
	const ready = "HelmReleaseReady"
	tests := map[string]struct{ values, reason, message string }{
		"no values":    {"", ready, ""},
		"current keys": {`{"ingress":{"host":"a"},"scale":{"replicas":2}}`, ready, ""},
		"a key with its successor": {`{"web":{"host":"a","port":1}}`, ready + "WithWarnings",
			"values key web.host is deprecated: use ingress.host"},
		"a key without successor":    {`{"legacy":{"mode":"on"}}`, ready + "WithWarnings", "values key legacy is deprecated"},
		"set to null":                {`{"legacy":null}`, ready + "WithWarnings", "values key legacy is deprecated"},
		"a key of every application": {`{"replicas":2}`, ready + "WithWarnings", "values key replicas is deprecated: use scale.replicas"},
		"several": {`{"replicas":2,"web":{"host":"a"}}`, ready + "WithWarnings",
			"values key web.host is deprecated: use ingress.host; values key replicas is deprecated: use scale.replicas"},
		"of another application":  {`{"theme":"dark"}`, ready, ""},
		"below another key":       {`{"app":{"web":{"host":"a"}}}`, ready, ""},
		"its parent is no object": {`{"web":"host"}`, ready, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := shop()
			if test.values != "" {
				o.Spec.Values = &api.Values{Inline: &apiextensionsv1.JSON{Raw: []byte(test.values)}}
			}
			f := Facts{Now: start, Release: Release{Exists: true, Judged: true, Before: true, Ready: true},
				Warnings: deprecated(o, policy.Of("odoo").Deprecated)}
			c := meta.FindStatusCondition(wire.ToMeta(judge(o, f, start).Commit().Conditions()), TypeReady)
			if c == nil {
				t.Fatal("there is no condition Ready")
			}
			if diff := cmp.Diff([]string{"True", test.reason, test.message}, []string{string(c.Status), c.Reason, c.Message}); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
