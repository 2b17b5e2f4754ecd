// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/applicationinstance"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/cluster"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/operation"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/operator"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/webhook"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	catalogFile = "../catalog.yaml"
	roles       = "deploy/install.yaml"
)

var kinds = []*conditions.Kind{applicationinstance.Kind, operation.Kind, cluster.Kind}

// scenarios of objects, which run at a time. Those of later need the kinds that the others install.
var (
	scenarios = map[string]func(*testing.T, *vworkspace){
		"releases": releases, "statuses": statuses, "charts": charts, "repository": repository, "squatted": squatted,
		"integrations": integrations, "endpoints": endpoints, "policies": policies,
		"gates": gates, "operations": operations, "blocked": blocked, "velero": velero, "engines": engines, "jobs": handed,
	}
	later = map[string]func(*testing.T, *vworkspace){"vanished": vanished, "taken": taken, "cancelled": cancelled, "inventory": inventory}
)

// final are the cells that the document calls final: "Succeeded=True is a terminal state" (statement 49), Failed=True (52) and
// Cancelled=True (56); and Deleting, which is "cleared when the finalizer is removed" (40): the last of its reasons goes with the object.
var final = []string{
	"Operation Succeeded=True EngineCompleted",
	"Operation Failed=True EngineFailed", "Operation Failed=True Timeout", "Operation Failed=True PreconditionFailed",
	"Operation Cancelled=True UserCancelled", "Operation Cancelled=True SupersededByOperation",
	"ApplicationInstance Deleting=True WaitingForChildResources",
}

// TestRows reaches every row of the document from its real trigger, and leaves it again when the trigger goes and the object lives on,
// unless the row is final. It prints the rows reached.
func TestRows(t *testing.T) {
	t.Parallel()
	address := world.Free(t)
	w := start(t, func(o *operator.Options) {
		o.Webhook = operator.WebhookOptions{Address: address, Host: "127.0.0.1"}
		o.Controllers = slices.Clone(kit.DefaultControllers)
		for i := range o.Controllers[2:] { // without their kinds, which are installed later
			o.Controllers[2+i].Kind = ""
		}
	})
	w.Create(t, &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: webhook.Name}, Webhooks: webhooks(t, address)})
	world.InTurn(t, w.part("connection", connection), w.part("credentials", credentials), w.part("controllers", controllers),
		w.part("overflow", overflow))
	for i, group := range []map[string]func(*testing.T, *vworkspace){scenarios, later} {
		if i == 1 { // operations by every engine on one target at a time, which the document does not let
			w.Create(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: kit.PolicyName},
				Data: map[string]string{kit.PolicyKey: "concurrentOperations: [[\"*\", \"*\"]]\n"}})
		}
		t.Run([]string{"objects", "later"}[i], func(t *testing.T) {
			for name, scenario := range group {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					scenario(t, w)
				})
			}
		})
	}
	t.Run("slow", func(t *testing.T) { slow(t, w) })
	t.Run("restart", func(t *testing.T) { restart(t, w) })
	t.Run("admission", func(t *testing.T) { admission(t, w) })
	summary, _ := w.Seen.Compare(t, catalogFile, kinds, final...)
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "\n"+summary+"\n") {
		t.Errorf("the page does not have the line %q: %v", summary, err)
	}
	// The operator ran with exactly its roles. All that they grant was needed, and nothing was refused but an object of a chart that it may
	// not read.
	if list := w.sent.Unused(world.Permissions(t, roles)); len(list) > 0 {
		t.Errorf("granted and never used:\n%s", strings.Join(list, "\n"))
	}
	for _, r := range w.sent.Refused() {
		if !strings.HasPrefix(r, "get leases.coordination.k8s.io in team-") {
			t.Errorf("asked for and not granted: %s", r)
		}
	}
	// The webhook denied the forged claim of a job, and nothing else.
	var denied []string
	for r := range w.sent.All() {
		if r.Denied {
			denied = append(denied, r.Verb+" "+r.Resource)
		}
	}
	if diff := cmp.Diff([]string{"patch operations"}, denied); diff != "" {
		t.Errorf("denied by the webhook: -want +got\n%s", diff)
	}
}
