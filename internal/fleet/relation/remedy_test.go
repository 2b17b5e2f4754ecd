// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	"sigs.k8s.io/yaml"
)

// The remedy for a reason comes from the rule pack of the kind.
func TestRemedies(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct{ object, want string }{
		"a condition": {`{apiVersion: cert-manager.io/v1, kind: Issuer, metadata: {name: ca}, spec: {ca: {secretName: s}},
 status: {conditions: [{type: Ready, status: "False", reason: ErrGetKeyPair, message: no secret}]}}`,
			"create the secret that spec.ca.secretName names, in the namespace of the issuer or, for a ClusterIssuer, in that of cert-manager"},
		"a field": {`{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: vm}, status: {printableStatus: ErrorPvcNotFound}}`,
			"create the PersistentVolumeClaim that a volume names, or correct the name"},
		"a rule": {`{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: db}, spec: {instances: 3}, status: {phase: Cluster in healthy state, readyInstances: 2}}`,
			"see the pods of the instances that are not ready: kubectl cnpg status db"},
		"a healthy object": {`{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c}, status: {conditions: [{type: Ready, status: "True", reason: Ready}]}}`, ""},
		"another reason":   {`{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c}, status: {conditions: [{type: Ready, status: "False", reason: Odd}]}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var content map[string]any
			if err := yaml.Unmarshal([]byte(tc.object), &content); err != nil {
				t.Fatal(err)
			}
			got := relation.JudgeBy(pack.Default(nil), nil, at)(relation.FromContent(content))
			if diff := cmp.Diff(tc.want, got.Remedy); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", got.Verdict, got.Reason, diff)
			}
		})
	}
}
