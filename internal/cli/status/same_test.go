// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/proof/world/clitest"
	"k8s.io/client-go/rest"
)

// versioned are catalogs by which the two versions of a kind have different verdicts.
const versioned = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: parcels}
spec:
  for: {group: same.example.dev, kind: Parcel, versions: [v1]}
  dialect: core
  conditions:
  - {type: Ready, meaning: It is there., role: summary, polarity: positive, presence: always, reasons: [{reason: Lost, status: "False", class: terminal, meaning: It is lost.}]}
---
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: parcels-old}
spec:
  for: {group: same.example.dev, kind: Parcel, versions: [v1beta1]}
  dialect: core
  conditions:
  - {type: Ready, meaning: It is there., role: summary, polarity: positive, presence: always, reasons: [{reason: Lost, status: "False", class: progress, meaning: It is looked for.}]}
`

// shuffled puts a proxy before an API server that answers discovery in another order each time: groups, types and, in the older form, which
// names the preferred version, versions.
func shuffled(t *testing.T, config *rest.Config) *rest.Config {
	t.Helper()
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(1, 2))
	mix := func(value any) {
		if list, ok := value.([]any); ok {
			random.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
		}
	}
	proxy := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Header.Del("Accept-Encoding")
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(r.In.Header.Get("Accept"), "APIGroupDiscoveryList") && random.IntN(2) == 0 {
			r.Out.Header.Set("Accept", "application/json")
		}
	}, ModifyResponse: func(r *http.Response) error {
		if path := r.Request.URL.Path; path != "/api" && path != "/apis" && strings.Count(path, "/") > 3 {
			return nil
		}
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		var answer map[string]any
		if json.Unmarshal(data, &answer) == nil {
			mu.Lock()
			defer mu.Unlock()
			mix(answer["items"])
			mix(answer["resources"])
			mix(answer["groups"])
			groups, _ := answer["groups"].([]any)
			for _, g := range groups {
				mix(g.(map[string]any)["versions"])
			}
			groups, _ = answer["items"].([]any)
			for _, g := range groups {
				versions, _ := g.(map[string]any)["versions"].([]any)
				for _, v := range versions {
					mix(v.(map[string]any)["resources"])
				}
			}
			if data, err = json.Marshal(answer); err != nil {
				return err
			}
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
		r.Header.Set("Content-Length", strconv.Itoa(len(data)))
		return nil
	}}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return &rest.Config{Host: s.URL}
}

// TestSameAnswer: each command that reads a cluster gives one answer about objects that do not change, however often it runs and in
// whatever order the API server lists its types: it reads a kind in the version that the server prefers.
func TestSameAnswer(t *testing.T) {
	config := plane.ForTest(t)
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	old := definition("same.example.dev", "Parcel", "v1beta1")
	_, version, _ := strings.Cut(old, "  versions:\n")
	two := old + strings.NewReplacer("v1beta1", "v1", "storage: true", "storage: false").Replace(version)
	if err := live.Install(ctx, config, []byte(two)); err != nil {
		t.Fatal(err)
	}
	namespace := plane.Namespace(t, config)
	create(t, config, namespace, `
apiVersion: same.example.dev/v1
kind: Parcel
metadata: {name: book}
status: {conditions: [{type: Ready, status: "False", reason: Lost, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}
`)
	catalogs := filepath.Join(t.TempDir(), "parcels.yaml")
	if err := os.WriteFile(catalogs, []byte(versioned), 0o600); err != nil {
		t.Fatal(err)
	}
	kubeconfig := clitest.Kubeconfig(t, shuffled(t, config), namespace, "")
	now := time.Now()
	for _, command := range []string{"status", "status -o json", "status all -o json", "tree parcel/book", "tree parcel/book -o json",
		"tree parcel/book --up", "status parcels -o wide",
		"why", "why parcel/book", "wait parcel/book --timeout 0 -o json", "compare context=test context=test --exit-code"} {
		t.Run(command, func(t *testing.T) {
			want := ""
			for n := range 8 {
				var out, errs bytes.Buffer
				a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: func() time.Time { return now },
					Name: "tristate"}
				code := a.Run(t.Context(), append(strings.Fields(command), "--kubeconfig", kubeconfig, "--catalogs", catalogs))
				if compared := strings.HasPrefix(command, "compare"); compared &&
					(code != exit.OK || !strings.Contains(out.String(), "0 worse, 0 gone, 0 changed, 0 better, 0 new")) {
					t.Fatalf("run %d: exit code %d\n%s%s", n, code, &out, &errs)
				}
				if n == 0 {
					want = out.String()
					if want == "" || strings.Contains(want, "v1beta1") {
						t.Fatalf("exit code %d\n%s%s", code, &out, &errs)
					}
				} else if diff := cmp.Diff(want, out.String()); diff != "" {
					t.Fatalf("run %d: -first +now\n%s", n, diff)
				}
			}
		})
	}
}
