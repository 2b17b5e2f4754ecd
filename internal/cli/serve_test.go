// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/proof/world/clitest"
	"github.com/tristate/tristate/verdict"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

// served is a running `tristate serve`.
type served struct {
	*clitest.Started
	t       *testing.T
	address string
}

// startServe starts the command for everyone on this machine, on a port of its own.
func startServe(t *testing.T, config *rest.Config, args ...string) *served {
	t.Helper()
	args = append([]string{"serve", "--address", "127.0.0.1:0", "--auth", "none", "--history", "none", "--kubeconfig",
		clitest.Kubeconfig(t, config, "", "")}, args...)
	s := &served{Started: clitest.Start(t, time.Now, false, args...), t: t}
	s.address = strings.TrimSpace(s.See("http://"))
	return s
}

// get reads an answer; a token is that of a cluster.
func get(t *testing.T, address, token string) (status int, body []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body
}

// rows returns the rows of a filter, by name.
func (s *served) rows(filter string) []api.Row {
	s.t.Helper()
	var w api.Window
	_, body := get(s.t, s.address+"api/v1/objects?sort=name&limit=500&"+filter, "")
	if err := json.Unmarshal(body, &w); err != nil {
		s.t.Fatalf("%v in %s", err, body)
	}
	return w.Rows
}

// until waits for the rows of a filter.
func (s *served) until(filter string, ok func([]api.Row) bool) {
	s.t.Helper()
	var last []api.Row
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if last = s.rows(filter); ok(last) {
			return
		}
	}
	s.t.Fatalf("%s: the rows are %+v\n%s", filter, last, s.Err)
}

var cluster sync.Mutex

// oneAtATime is t.Parallel for a test that puts a catalog, or what a chart has, into the cluster that all tests share: of these one runs.
func oneAtATime(t *testing.T) {
	t.Helper()
	t.Parallel()
	cluster.Lock()
	t.Cleanup(cluster.Unlock)
}

// lampBench is a control plane with a kind that no catalog of ours knows, and a namespace.
func lampBench(t *testing.T) (*clitest.Bench, *rest.Config) {
	t.Helper()
	config := plane.ForTest(t)
	b := clitest.NewBench(t)
	crd, err := os.ReadFile("../declare/catalog/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Install(t.Context(), config, crd, []byte(chartDefinition)); err != nil {
		t.Fatal(err)
	}
	return b, config
}

// TestServe_catalogs: a ConditionCatalog that comes, changes and goes counts at once, also for objects that a light server does not keep.
func TestServe_catalogs(t *testing.T) {
	oneAtATime(t)
	b, config := lampBench(t)
	lamp := b.Create("{apiVersion: " + lamps + "/v1, kind: Lamp, metadata: {name: hall}}")
	report(b, lamp, "False")
	whole, light := startServe(t, config), startServe(t, config, "--light")
	filter := "kind=Lamp." + lamps + "&namespace=" + lamp.GetNamespace()
	is := func(want verdict.Status, reason string) {
		t.Helper()
		for _, s := range []*served{whole, light} {
			s.until(filter, func(rows []api.Row) bool {
				return len(rows) == 1 && rows[0].Verdict == want && (reason == "" || rows[0].Reason == reason)
			})
		}
	}
	catalog := func(word string) string {
		return "{apiVersion: tristate.dev/v1alpha1, kind: ConditionCatalog, metadata: {name: lamps." + lamps + "}, spec: {for: {group: " + lamps +
			", kind: Lamp}, verdicts: [{verdict: " + word + ", reason: Declared}]}}"
	}
	before := whole.rows(filter)
	for len(before) == 0 {
		before = whole.rows(filter)
	}
	is(before[0].Verdict, "")
	made := b.Create(catalog("Suspended"))
	t.Cleanup(func() { _ = b.Resource(made).Delete(context.Background(), made.GetName(), metav1.DeleteOptions{}) })
	is("Suspended", "Declared")
	b.Patch(made, "", `{"spec":{"verdicts":[{"verdict":"Degraded","reason":"Declared"}]}}`)
	is("Degraded", "Declared")
	if err := b.Resource(made).Delete(t.Context(), made.GetName(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	is(before[0].Verdict, before[0].Reason)
}

// TestServe_shards: the shards have every object together, and no two of them the same one.
func TestServe_shards(t *testing.T) {
	t.Parallel()
	const shards, objects = 3, 40
	b, config := lampBench(t)
	var namespace string
	for i := range objects {
		namespace = b.Create(fmt.Sprintf("{apiVersion: %s/v1, kind: Lamp, metadata: {name: lamp-%02d}}", lamps, i)).GetNamespace()
	}
	filter := "namespace=" + url.QueryEscape(namespace)
	names := func(rows []api.Row) (out []string) {
		for _, r := range rows {
			out = append(out, r.ID)
		}
		return out
	}
	whole := startServe(t, config)
	whole.until(filter, func(rows []api.Row) bool { return len(rows) >= objects })
	for _, mode := range [][]string{nil, {"--light"}} {
		var parts []*served
		for i := range shards {
			parts = append(parts, startServe(t, config, append(mode, "--shard", fmt.Sprintf("%d/%d", i, shards))...))
		}
		check := func(n int) {
			t.Helper()
			want := names(whole.rows(filter))
			var union []string
			for end := time.Now().Add(5 * time.Minute); time.Now().Before(end) && len(union) != len(want); time.Sleep(50 * time.Millisecond) {
				want, union = names(whole.rows(filter)), nil
				for _, part := range parts {
					union = append(union, names(part.rows(filter))...)
				}
			}
			slices.Sort(want)
			slices.Sort(union)
			if diff := cmp.Diff(want, union); diff != "" || len(want) < n {
				t.Errorf("%v: of %d objects -whole +shards together:\n%s", mode, len(want), diff)
			}
			for i, part := range parts {
				if got := len(part.rows(filter)); got == 0 || got > n*2/3 {
					t.Errorf("%v: shard %d has %d of %d objects", mode, i, got, n)
				}
			}
		}
		check(objects)
		for _, part := range parts {
			part.Stop()
			part.Rest()
		}
	}
	// What changes, comes and goes is in one shard too.
	gone := &unstructured.Unstructured{Object: map[string]any{"apiVersion": lamps + "/v1", "kind": "Lamp",
		"metadata": map[string]any{"name": "lamp-07", "namespace": namespace}}}
	one, two := startServe(t, config, "--shard", "0/2"), startServe(t, config, "--shard", "1/2")
	both := func() []api.Row { return append(one.rows(filter+"&text=lamp-07"), two.rows(filter+"&text=lamp-07")...) }
	wait := func(ok func([]api.Row) bool) {
		t.Helper()
		for end := time.Now().Add(5 * time.Minute); !ok(both()); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("both have %+v", both())
			}
		}
	}
	wait(func(rows []api.Row) bool { return len(rows) == 1 })
	if err := b.Resource(gone).Delete(t.Context(), "lamp-07", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	wait(func(rows []api.Row) bool { return len(rows) == 0 })
}
