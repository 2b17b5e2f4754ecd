// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
)

// TestTree: explain shows a kind of which a catalog declares the tree alone.
func TestTree(t *testing.T) {
	none, err := catalog.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	load := func() (*catalog.Set, error) { return none, nil }
	var out strings.Builder
	if err := Run(&out, "ValidatingWebhookConfiguration", load); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"KIND     ValidatingWebhookConfiguration.admissionregistration.k8s.io",
		"CATALOG  tree.validatingwebhookconfigurations.admissionregistration.k8s.io (kubernetes/admissionregistration.yaml)",
		"webhook   Service  refs webhooks.clientConfig.service"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no line %q in:\n%s", line, out.String())
		}
	}
	if err := Run(&out, "ValidatingWebhookConfiguration.Ready", load); err == nil {
		t.Error("a condition that is not declared is explained")
	}
	if got := Complete("ValidatingW", load); len(got) != 1 || got[0] != "ValidatingWebhookConfiguration" {
		t.Errorf("completions %q", got)
	}
}
