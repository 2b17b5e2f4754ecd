// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/feed"
	"github.com/tristate/tristate/internal/cli/server"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/internal/fleet/rows"
	"github.com/tristate/tristate/proof/world/clitest"
	"github.com/tristate/tristate/verdict"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestOneAnswer: status, tree, why, wait, the page and the metrics have the same verdict about an object of a cluster at rest, with the
// same reason, message and time. The verdicts of most of these objects read others.
func TestOneAnswer(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Create(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: none}, spec: {hard: {pods: "0"}}}`)
	b.Until(func() ([]unstructured.Unstructured, error) {
		return listed(t, b, schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"})
	}, func(u unstructured.Unstructured) bool {
		hard, _, _ := unstructured.NestedString(u.Object, "status", "hard", "pods")
		return hard == "0"
	})
	b.Create(`
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: refused}
spec:
  serviceName: refused
  selector: {matchLabels: {app: refused}}
  template: {metadata: {labels: {app: refused}}, spec: {containers: [{name: a, image: registry.invalid/a:1}]}}
`)
	b.Create(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: refused}
spec:
  selector: {matchLabels: {app: other}}
  template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: registry.invalid/a:1}]}}
`)
	b.Create(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`)
	b.Create(`{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: nothing}, ports: [{port: 80}]}}`)
	b.Create(`
apiVersion: batch/v1
kind: CronJob
metadata: {name: never}
spec:
  suspend: true
  schedule: "0 0 1 1 *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: registry.invalid/a:1}]}}}}
`)
	names := []string{"statefulset/refused", "deployment/refused", "pvc/data", "service/web", "cronjob/never"}
	want := map[render.ObjectRef]string{}
	b.Until(func() ([]unstructured.Unstructured, error) {
		return listed(t, b, schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"})
	}, func(unstructured.Unstructured) bool { // the controllers have looked
		want = answers(t, b, append([]string{"status"}, names...)...)
		text := ""
		for _, answer := range want {
			text += answer + "\n"
		}
		return strings.Count(text, "exceeded quota") >= 2 && strings.Contains(text, "no storage class")
	})
	same := func(command string, got map[render.ObjectRef]string) {
		for object, answer := range got {
			if first, asked := want[object]; asked {
				if diff := cmp.Diff(first, answer); diff != "" {
					t.Errorf("%s of %s/%s: -status +%s\n%s", command, object.Kind, object.Name, command, diff)
				}
			}
		}
	}
	for _, command := range [][]string{{"status"}, {"tree"}, {"why"}, {"wait", "--timeout", "0"}} {
		got := answers(t, b, append(command, names...)...)
		if same(command[0], got); len(got) < len(want) && command[0] != "why" {
			t.Errorf("%s shows %d objects", command[0], len(got))
		}
	}
	a := &app.App{Out: io.Discard, Err: io.Discard, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
	fleet := rows.New(time.Now)
	v := view.New(a, view.Options{Engine: "tristate"})
	command := &cobra.Command{}
	if feed.AddSource(command, v); command.ParseFlags([]string{"--kubeconfig", b.Kubeconfig, "-A"}) != nil {
		t.Fatal("the flags are wrong")
	}
	if err := feed.Clusters(t.Context(), fleet, v, feed.Options{History: "none"}); err != nil {
		t.Fatal(err)
	}
	page := func() map[render.ObjectRef]string {
		out := map[render.ObjectRef]string{}
		for _, r := range fleet.Window(rows.Query{}, "name", 0, 10000).Rows {
			if r.Object.Namespace == b.Namespace {
				out[r.Object] = answerOf(r.Verdict, r.Type, r.Reason, r.Message, r.Since)
			}
		}
		return out
	}
	for limit := time.Now().Add(5 * time.Minute); time.Now().Before(limit); time.Sleep(100 * time.Millisecond) { // until the page has read all
		if got := page(); len(got) > 0 && allIn(want, got) {
			break
		}
	}
	same("page", page())
	registry := prometheus.NewRegistry()
	registry.MustRegister(server.NewMetrics(fleet, server.DefaultSeries))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, family := range families {
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			for object, answer := range want {
				of := labels["namespace"] == b.Namespace && labels["kind"] == object.Kind && labels["name"] == object.Name
				if !of || family.GetName() != "tristate_object_unhealthy" {
					continue
				}
				if seen++; !strings.HasPrefix(answer, labels["verdict"]+" | ") || !strings.Contains(answer, " | "+labels["reason"]+" | ") {
					t.Errorf("metric of %s/%s: %s %s, status: %s", object.Kind, object.Name, labels["verdict"], labels["reason"], answer)
				}
			}
		}
	}
	if seen < 4 {
		t.Errorf("%d objects are in the metrics", seen)
	}
}

// allIn reports whether every answer of some is among others.
func allIn(some, others map[render.ObjectRef]string) bool {
	for object, answer := range some {
		if others[object] != answer {
			return false
		}
	}
	return true
}

// answers returns the answers of a command about the objects of a namespace, in a line each.
func answers(t *testing.T, b *clitest.Bench, args ...string) map[render.ObjectRef]string {
	t.Helper()
	var out, errs bytes.Buffer
	a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
	a.Run(t.Context(), append(args, "-o", "json", "--kubeconfig", b.Kubeconfig))
	var list render.VerdictList
	if err := json.Unmarshal(out.Bytes(), &list); err != nil {
		t.Fatalf("%v: %v\n%s\n%s", args, err, &out, &errs)
	}
	answers := map[render.ObjectRef]string{}
	for _, i := range list.Items {
		answers[i.Object] = answerOf(i.Verdict, i.Type, i.Reason, i.Message, i.Since)
	}
	return answers
}

// answerOf returns a verdict with what explains it, as far as a row of the page has it.
func answerOf(v verdict.Status, kind, reason, message string, since *time.Time) string {
	if message = strings.TrimSuffix(message, "…"); len(message) > 200 {
		message = message[:200]
	}
	text := strings.Join([]string{string(v), kind, reason, message}, " | ")
	if since != nil {
		text += " | " + since.Truncate(time.Second).UTC().String()
	}
	return text
}

// listed returns the objects of a type in the namespace of a bench.
func listed(t *testing.T, b *clitest.Bench, gvr schema.GroupVersionResource) ([]unstructured.Unstructured, error) {
	t.Helper()
	list, err := b.Client.Resource(gvr).Namespace(b.Namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}
