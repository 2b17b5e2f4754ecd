// SPDX-License-Identifier: Apache-2.0

package campaign_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

//go:embed testdata/shop.yaml
var shopText string

//go:embed testdata/edits.yaml
var editsText []byte

// calls are the services of the shop, with those that each calls by the addresses in its environment.
var calls = map[string][]string{"web": {"cart", "catalog", "search"}, "gateway": {"web", "orders"}, "cart": {"cache"}, "catalog": {"db"},
	"search": {"catalog"},
	"orders": {"queue", "db", "payment"}, "payment": {"ledger"}, "ledger": {"db"}, "mail": {"queue"}, "queue": nil, "cache": nil, "db": nil}

// edit is one of testdata/edits.yaml, which describes the fields.
type edit struct {
	Kind    string                    `json:"kind"`
	Of      []string                  `json:"of"`
	Alone   bool                      `json:"alone"`
	Patch   map[string]map[string]any `json:"patch"`
	Pod     map[string]any            `json:"pod"`
	Labels  map[string]any            `json:"labels"`
	Contain map[string]any            `json:"container"`
	Restart bool                      `json:"restart"`
	Stop    string                    `json:"stop"`
	Event   *words                    `json:"event"`
	Pause   int                       `json:"pause"`
	Create  []map[string]any          `json:"create"`
	Delete  []string                  `json:"delete"`
	Play    string                    `json:"play"`
	Kubelet *words                    `json:"kubelet"`
	Until   string                    `json:"until"`
	Dump    bool                      `json:"dump"`
	Want    string                    `json:"want"`
	Word    string                    `json:"word"`
}

// words are those of a kubelet: why a container waits, why an init container does instead, and why the one before ended; or those of an
// event.
type words struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Init    string `json:"init"`
	Last    string `json:"last"`
	Ran     int    `json:"ran"` // for how many seconds it did
}

// allEdits returns the edits.
func allEdits(t testing.TB) []edit {
	t.Helper()
	var out []edit
	if err := yaml.UnmarshalStrict(editsText, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// services returns the services that an edit fits.
func (e edit) services() []string {
	names := slices.Sorted(maps.Keys(calls))
	switch {
	case len(e.Of) == 0:
		return slices.DeleteFunc(names, func(name string) bool { return name == "db" })
	case e.Of[0] == "callers":
		return slices.DeleteFunc(names, func(name string) bool { return len(calls[name]) == 0 })
	}
	return e.Of
}

// at returns the edit of one service. Bound is the name of a volume that is claimed.
func (e edit) at(t testing.TB, name, bound string) edit {
	t.Helper()
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	callee := "CALLEE"
	if len(calls[name]) > 0 {
		callee = calls[name][0]
	}
	var out edit
	if err := json.Unmarshal([]byte(strings.NewReplacer("NAME", name, "CALLEE", callee, "BOUND", bound).Replace(string(data))),
		&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// apply writes the edit to the shop, and plays what becomes of the pods.
func (s *shop) apply(e edit, name string) {
	s.Helper()
	if e.Stop != "" {
		s.stop(e.Stop)
	}
	for _, key := range slices.Sorted(maps.Keys(e.Patch)) {
		s.patch(key, e.Patch[key], "")
		s.counted(key)
		time.Sleep(time.Duration(e.Pause) * time.Second) // the edit asks for it
	}
	for _, key := range e.Delete {
		s.delete(key)
	}
	for _, o := range e.Create {
		s.create(&unstructured.Unstructured{Object: o})
	}
	time.Sleep(time.Duration(e.Pause) * time.Second) // the edit asks for it
	pod := maps.Clone(e.Pod)
	if e.Contain != nil {
		if pod == nil {
			pod = map[string]any{}
		}
		container := maps.Clone(e.Contain)
		container["name"] = name
		pod["containers"] = []any{container}
	}
	if pod == nil && e.Labels == nil && !e.Restart {
		return
	}
	outcome := any(nil) // none
	if e.Play != "" {
		outcome = e.Play
	}
	metadata := map[string]any{"annotations": map[string]any{"localplane.tristate.dev/outcome": outcome,
		"kubectl.kubernetes.io/restartedAt": fmt.Sprint(s.rounds)}}
	template := map[string]any{"metadata": metadata}
	if e.Labels != nil {
		metadata["labels"] = e.Labels
	}
	if pod != nil {
		template["spec"] = pod
	}
	s.patch("Deployment/"+name, map[string]any{"spec": map[string]any{"template": template}}, "")
	if e.Kubelet != nil {
		s.played[name] = *e.Kubelet
	}
	if e.Event != nil {
		s.events[name] = *e.Event
	}
}

// status returns what a kubelet with such words writes of a pod.
func (w words) status(pod *unstructured.Unstructured) map[string]any {
	list, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
	var out []any
	for _, c := range list {
		status := map[string]any{"name": c.(map[string]any)["name"], "image": c.(map[string]any)["image"], "imageID": "", "ready": false,
			"restartCount": int64(0),
			"state":        map[string]any{"waiting": map[string]any{"reason": w.Reason, "message": w.Message}}}
		if w.Last != "" {
			ended := map[string]any{"exitCode": int64(137), "reason": w.Last}
			if w.Ran > 0 {
				now := time.Now().Truncate(time.Second).UTC()
				ended["startedAt"], ended["finishedAt"] = now.Add(-time.Duration(w.Ran)*time.Second).Format(time.RFC3339), now.Format(time.RFC3339)
			}
			status["restartCount"], status["lastState"] = int64(7), map[string]any{"terminated": ended}
		}
		out = append(out, status)
	}
	status := map[string]any{"containerStatuses": out}
	if w.Init != "" {
		status["initContainerStatuses"] = []any{map[string]any{"name": "migrate", "image": "x", "imageID": "", "ready": false,
			"restartCount": int64(7),
			"state":        map[string]any{"waiting": map[string]any{"reason": w.Init, "message": "back-off 5m0s restarting failed container"}},
			"lastState":    map[string]any{"terminated": map[string]any{"exitCode": int64(1), "reason": "Error"}}}}
	}
	return map[string]any{"status": status}
}

// manifests returns the objects of the healthy shop.
func manifests(t testing.TB) []*unstructured.Unstructured {
	t.Helper()
	type service struct {
		Name, Strategy string
		Calls          []string
	}
	var list []service
	for i, name := range slices.Sorted(maps.Keys(calls)) {
		list = append(list, service{name, []string{"RollingUpdate", "Recreate"}[i%2], calls[name]})
	}
	var b bytes.Buffer
	if err := template.Must(template.New("shop").Parse(shopText)).Execute(&b,
		map[string]any{"Services": list, "Volumes": []string{"pv-1", "pv-2", "pv-3", "pv-4"}}); err != nil {
		t.Fatal(err)
	}
	var out []*unstructured.Unstructured
	for _, text := range strings.Split(b.String(), "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		out = append(out, u)
	}
	return out
}

var strategic = types.StrategicMergePatchType
