// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestFieldsAreRecorded: a Pod of a list has the fields that an API server and a kubelet wrote into a recorded one in the same state,
// except for those that depend on the template or the version.
func TestFieldsAreRecorded(t *testing.T) {
	older := []string{"metadata.selfLink", "spec.containers.command", "spec.volumes.secret", "spec.volumes.secret.defaultMode",
		"spec.volumes.secret.secretName"}
	for file, broken := range map[string]bool{"pod-crashloop.yaml": true, "pod-running-restart-always.yaml": false} {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "..", "shared", "corpus", "argocd-builtin", file))
		if err != nil {
			t.Skip("skipped: the recorded objects are not beside the repository")
		}
		var recorded object
		if err := yaml.Unmarshal(data, &recorded); err != nil {
			t.Fatal(err)
		}
		got, want := fields(recorded), fields(decoded(t, pod(7, broken)))
		var lacking []string
		for path := range got {
			if !want[path] && !slices.Contains(older, path) {
				lacking = append(lacking, path)
			}
		}
		slices.Sort(lacking)
		if len(lacking) > 0 {
			t.Errorf("%s has fields that a Pod of the list lacks: %v", file, lacking)
		}
	}
}

// TestFieldsExist: each field of a Pod of a list is a field of the API, with a value of its type.
func TestFieldsExist(t *testing.T) {
	for _, broken := range []bool{false, true} {
		for _, p := range []object{pod(7, broken), one(7, 2, broken)} {
			data, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			var typed corev1.Pod
			d := json.NewDecoder(bytes.NewReader(data))
			d.DisallowUnknownFields()
			if err := d.Decode(&typed); err != nil {
				t.Fatal(err)
			}
			back, err := json.Marshal(typed)
			if err != nil {
				t.Fatal(err)
			}
			var again object
			if err := json.Unmarshal(back, &again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(slices.Sorted(maps.Keys(fields(decoded(t, p)))), slices.Sorted(maps.Keys(fields(again)))); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// TestTrouble: as many Pods are in a crash loop as the argument says.
func TestTrouble(t *testing.T) {
	for argument, want := range map[string]int{"0": 0, "one": 1, "1": 10, "5": 50, "50": 500, "100": 1000} {
		var out bytes.Buffer
		if err := run(&out, []string{"1000", "pods", argument}); err != nil {
			t.Fatal(err)
		}
		var list struct{ Items []corev1.Pod }
		if err := json.Unmarshal(out.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, p := range list.Items {
			if p.Status.ContainerStatuses[0].LastTerminationState.Terminated != nil {
				got++
			}
		}
		if got != want || len(list.Items) != 1000 {
			t.Errorf("%s: %d of %d Pods are in a crash loop, want %d", argument, got, len(list.Items), want)
		}
	}
}

func decoded(t *testing.T, o object) (out object) {
	t.Helper()
	data, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// fields returns the paths of the fields of an object. Items of a list share their paths, and keys of labels are no fields.
func fields(o object) map[string]bool {
	out := map[string]bool{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case object:
			for key, v := range value {
				at := path + key
				out[at] = true
				if key != "labels" {
					walk(at+".", v)
				}
			}
		case []any:
			for _, v := range value {
				walk(path, v)
			}
		}
	}
	walk("", o)
	return out
}
