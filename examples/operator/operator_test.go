// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	policies "github.com/tristate/tristate/examples/operator"
	"github.com/tristate/tristate/examples/toolpolicy"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/proof/plane"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func TestMain(m *testing.M) { plane.Main(m) }

// TestOperator runs the operator of the guide on a real API server, through the cases of the guide.
func TestOperator(t *testing.T) {
	config := plane.ForTest(t)
	ctrl.SetLogger(logr.Discard())
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: []string{"../toolpolicy/crd.yaml"}, MaxTime: 5 * time.Minute,
		ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	namespace := plane.Namespace(t, config)
	registry := prometheus.NewPedanticRegistry()
	its := rest.CopyConfig(config)
	plane.Slow(its)
	host, err := operator.New(its, operator.Options{Name: "policy_operator", Account: "policy-operator", Domain: "example.dev", Registry: registry,
		Manager: ctrl.Options{Metrics: server.Options{BindAddress: "0"}, Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
			Controller: ctrlconfig.Controller{SkipNameValidation: ptr.To(true)}}}, // so that the test can run more than once
		toolpolicy.AddToScheme, policies.Setup([]string{"saw", "drill"}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- host.Start(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()

	plane.SlowTest(config)
	api, err := client.New(config, client.Options{Scheme: host.Manager.GetScheme()})
	if err != nil {
		t.Fatal(err)
	}
	policy := &toolpolicy.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "carpentry"}, Spec: toolpolicy.Spec{Tools: []string{"saw"}}}
	if err := api.Create(ctx, policy); err != nil {
		t.Fatal(err)
	}
	says := func(want ...string) *toolpolicy.ToolPolicy {
		t.Helper()
		now := &toolpolicy.ToolPolicy{}
		for end := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
			if err := api.Get(ctx, client.ObjectKeyFromObject(policy), now); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range now.Status.Conditions {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s=%s %s %s", c.Type, c.Status, c.Reason, c.Message)))
			}
			diff := cmp.Diff(want, got)
			if diff == "" {
				return now
			}
			if time.Now().After(end) {
				t.Fatalf("conditions: -want +got\n%s", diff)
			}
		}
	}
	says("Ready=Unknown NoSandboxesReferencing Enforced(NoSandboxesReferencing): no sandbox names this policy",
		"Compiled=True ProfileStored", "Enforced=Unknown NoSandboxesReferencing no sandbox names this policy")

	sandbox := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "bench", Labels: map[string]string{policies.Label: "carpentry"}}}
	if err := api.Create(ctx, sandbox); err != nil {
		t.Fatal(err)
	}
	now := says("Ready=False RouterOutdated Enforced(RouterOutdated): 1 of 1 routers are behind",
		"Compiled=True ProfileStored", "Enforced=False RouterOutdated 1 of 1 routers are behind")
	if now.Status.Sandboxes != 1 || now.Status.Profile == "" {
		t.Errorf("status %+v", now.Status)
	}

	sandbox.Data = map[string]string{"profile": now.Status.Profile}
	if err := api.Update(ctx, sandbox); err != nil {
		t.Fatal(err)
	}
	says("Ready=True InForce", "Compiled=True ProfileStored", "Enforced=True RouterEnforcing")

	// a pass that changes nothing writes nothing
	writes := host.Writes()
	sandbox.Annotations = map[string]string{"seen": "yes"}
	if err := api.Update(ctx, sandbox); err != nil {
		t.Fatal(err)
	}

	use := func(tools ...string) {
		t.Helper()
		changed := policy.DeepCopyObject().(*toolpolicy.ToolPolicy)
		changed.Spec.Tools = tools
		if err := api.Patch(ctx, changed, client.MergeFrom(policy)); err != nil {
			t.Fatal(err)
		}
	}
	use("saw", "hammer")
	says("Ready=False RouterOutdated Enforced(RouterOutdated): 1 of 1 routers are behind", "Compiled=True ProfileStored",
		"Enforced=False RouterOutdated 1 of 1 routers are behind", `Degraded=True ToolUnknown tool "hammer"`)
	if got := host.Writes() - writes; got != 1 {
		t.Errorf("%d writes for one change of the policy and one of a sandbox that says nothing new", got)
	}

	use()
	now = says("Ready=False NotReady Compiled(SpecInvalid): spec.tools is empty; Enforced(RouterOutdated): 1 of 1 routers are behind",
		"Compiled=False SpecInvalid spec.tools is empty",
		"Enforced=False RouterOutdated 1 of 1 routers are behind")
	if now.Status.Profile != "" {
		t.Errorf("profile %q of a spec that cannot be compiled", now.Status.Profile)
	}

	families, err := registry.Gather()
	if err != nil || !slices.ContainsFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == "policy_operator_controller_reconcile_total" }) {
		t.Errorf("families of metrics: %v, %v", families, err)
	}
	if err := api.Delete(ctx, now); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile("../toolpolicy/crd.yaml"); err != nil || !strings.Contains(string(data), "x-kubernetes-list-map-keys: [type]") {
		t.Errorf("the definition does not make the list a map, which Setup says: %v", err)
	}
}
