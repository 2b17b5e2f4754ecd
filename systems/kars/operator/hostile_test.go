// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/artifact"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Limits that hold whatever a router, a registry or an issuer answers. The operator reads 4 MiB of an answer at most; the bytes sent to it
// include the buffers of both ends of a connection.
const (
	mostSent = 32 << 20
	mostHeap = 256 << 20 // in use more than before; most of it is garbage
	mostKept = 32 << 20
)

// hostile serves malformed and endless answers, and counts the bytes that were taken. Each path element of an answer is a kind of attack.
type hostile struct {
	zipped []byte // 256 MiB of spaces

	mu   sync.Mutex
	most int // bytes of one answer
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	for range 256 {
		if _, err := w.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &hostile{zipped: zipped.Bytes()}
}

// answer writes one of the attacks.
func (h *hostile) answer(w http.ResponseWriter, r *http.Request, attack string) {
	sent := 0
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.most = max(h.most, sent)
	}()
	switch attack {
	case "endless":
		for chunk := bytes.Repeat([]byte("["), 64<<10); r.Context().Err() == nil; {
			n, err := w.Write(chunk)
			if sent += n; err != nil || sent > 2*mostSent {
				return
			}
		}
	case "zipped":
		w.Header().Set("Content-Encoding", "gzip")
		sent, _ = w.Write(h.zipped)
	case "deep":
		sent, _ = io.WriteString(w, strings.Repeat(`{"entries":[`, 200_000/12))
	case "long": // a status that is well-formed, of almost as many bytes as are read
		sent, _ = fmt.Fprintf(w, `{"schema_version":1,"count":1,"entries":[{"kind":"InferencePolicy","digest":"%s","source_path":"%[1]s","last_error":"%[1]s"}]}`,
			strings.Repeat("x", 300<<10))
	case "hangs":
		<-r.Context().Done() // the operator gives up, or ends before the servers do
	}
}

// TestHostile: whatever routers, registries and issuers answer, the reason is the documented one, others are not delayed, nothing panics,
// and bytes and memory are bounded. Everything comes over the connections of the operator.
func TestHostile(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // as the operator has
	h := newHostile(t)
	w := base(t)
	ns := w.NewNamespace(t)

	// Routers: those of sandboxes that are called after an attack; the other ones are processes in pods.
	routers := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(r.URL.Hostname(), ".")
		h.answer(rw, r, name)
	}))
	t.Cleanup(routers.Close)
	proxies := map[bool]*url.URL{true: parsed(t, routers.URL), false: parsed(t, w.Kubelet.Proxy())}
	w.options.Routers = &http.Client{Timeout: echo.Timeout, Transport: &http.Transport{Proxy: func(r *http.Request) (*url.URL, error) {
		return proxies[!strings.HasPrefix(r.URL.Hostname(), "fine.")], nil
	}}}
	routersSay := map[string]string{
		"endless": "the status is longer than 1048576 bytes",
		"zipped":  "the status is longer than 1048576 bytes",
		"deep":    "the status is not JSON",
		"long":    "the router has not loaded: InferencePolicy",
		"hangs":   "the router does not answer: timeout",
	}

	// A registry with the content of the other one, but for some blobs and manifests.
	instead := map[string]string{} // attack by digest; it is complete before the operator starts
	forward := httputil.NewSingleHostReverseProxy(parsed(t, "http://"+w.registry))
	registry := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if attack, ok := instead[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]; ok && !strings.Contains(r.URL.Path, "/referrers/") {
			h.answer(rw, r, attack)
			return
		}
		forward.ServeHTTP(rw, r)
	}))
	t.Cleanup(registry.Close)
	published := func(mediaType, content string) *api.ArtifactRef {
		ref := w.publish(t, "lists", mediaType, content)
		w.sign(t, ref, false)
		ref.Registry = strings.TrimPrefix(registry.URL, "http://")
		return &ref
	}
	tests := map[client.Object]string{} // "Type=Status Reason: part of the message"
	eval := func(name, content, want string) *api.KarsEval {
		o := &api.KarsEval{ObjectMeta: meta(ns, name), Spec: api.KarsEvalSpec{TargetSandboxRef: api.NameRef{Name: "fine"},
			Corpus: api.CorpusSource{BundleRef: published(artifact.EvalCorpus, content)}}}
		tests[o] = want
		return o
	}
	eval("huge", strings.Repeat("[", 2<<20), "Degraded=True CorpusFetchFailed: InvalidRef: the content has 2097152 bytes")
	eval("deep", strings.Repeat("[", 200<<10), "Degraded=True CorpusParseFailed")
	for attack, want := range map[string]string{"endless": "DigestMismatch", "zipped": "DigestMismatch", "deep": "DigestMismatch",
		"hangs": "Unreachable: timeout"} {
		content := `{"name":"content-` + attack + `"}`
		eval("content-"+attack, content, "Degraded=True CorpusFetchFailed: "+want)
		instead[fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(content)))] = attack
		other := eval("manifest-"+attack, `{"name":"manifest-`+attack+`"}`, "Degraded=True CorpusFetchFailed: "+want)
		instead[other.Spec.Corpus.BundleRef.Digest] = attack
	}
	listed := newSandbox(ns, "listed")
	listed.Spec.NetworkPolicy = &api.NetworkSpec{AllowlistRef: published(artifact.EgressAllowlist, bomb())}
	tests[listed] = "AllowlistVerified=False FailedClosed: CanonicalFormViolation"

	// An issuer whose key set is an attack.
	issuer := httptest.NewUnstartedServer(nil)
	issuer.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		attack := strings.Split(r.URL.Path, "/")[1]
		if strings.HasSuffix(r.URL.Path, "/keys") {
			h.answer(rw, r, attack)
			return
		}
		fmt.Fprintf(rw, `{"issuer":"%[1]s/%[2]s","jwks_uri":"%[1]s/%[2]s/keys"}`, issuer.URL, attack)
	})
	issuer.Config.ErrorLog = discard
	issuer.StartTLS()
	t.Cleanup(issuer.Close)
	w.options.Authorities = issuing(issuer)
	for attack, want := range map[string]string{"endless": "longer than 262144 bytes", "zipped": "longer than 262144 bytes",
		"deep": "bad format", "long": "longer than", "hangs": "timeout"} {
		tests[&api.McpServer{ObjectMeta: meta(ns, "keys-"+attack), Spec: api.McpServerSpec{URL: "https://mcp.example.com", ProductionMode: true,
			OAuth: &api.McpOAuth{Issuer: issuer.URL + "/" + attack}}}] = "Ready=False DependencyMissing: jwks: " + want
	}

	for name, want := range routersSay {
		tests[newSandbox(ns, name)] = "Ready=False AwaitingRouterEnforcement: " + want
	}
	fine := newSandbox(ns, "fine")
	w.Create(t, newInferencePolicy(ns, "models"))
	before, peak := world.Heap(), watchHeap(t)
	w.run(t)
	for o := range tests {
		w.Create(t, o)
	}
	w.Create(t, fine) // last: requests that hang delay no other object
	w.Seen.Reach(t, fine, "Ready=True RouterEnforcing")
	for o, want := range tests {
		cell, message, _ := strings.Cut(want, ": ")
		conditionType, _, _ := strings.Cut(cell, "=")
		world.Eventually(t, func() error {
			c := w.Condition(t, o, conditionType)
			if c == nil || fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason) != cell || !strings.Contains(c.Message, message) {
				return fmt.Errorf("%s: want %s, have %+v", world.Key(o), want, c)
			}
			if len(c.Message) > 1024 {
				return fmt.Errorf("%s: a message of %d bytes", world.Key(o), len(c.Message))
			}
			return nil
		})
	}

	grown, kept := peak()-before, world.Heap()-before
	h.mu.Lock()
	sent := h.most
	h.mu.Unlock()
	t.Logf("at most %d KiB of one answer were taken; the heap grew by %d KiB at most, and %d KiB of it stay", sent>>10, grown>>10, kept>>10)
	if sent > mostSent || grown > mostHeap || kept > mostKept {
		t.Errorf("want at most %d, %d and %d KiB", mostSent>>10, mostHeap>>10, mostKept>>10)
	}
	for name, n := range w.counted(t, "kars_controller_reconcile_errors_total", "kars_controller_retries_total") {
		t.Errorf("%s is %v: bad input is no error of a reconcile, and no panic", name, n)
	}
	w.refused(t, ns)
}

// refused takes the permissions of the operator away: writes are then counted as errors and repeated, and succeed once they are permitted
// again.
func (w *kars) refused(t *testing.T, ns string) {
	t.Helper()
	tools := newToolPolicy(ns, "tools")
	w.Create(t, tools)
	w.Seen.Reach(t, tools, "Ready=False NoSandboxesReferencing")
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: kit.Manager}}
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(binding), binding); err != nil {
		t.Fatal(err)
	}
	w.Remove(t, binding)
	world.Eventually(t, func() error { // the API server needs a moment to know
		world.Edit(t, w.World, tools, func(p *api.ToolPolicy) { p.Spec.AgtProfile.Inline += "# again\n" })
		have := w.counted(t, "kars_controller_reconcile_errors_total", "kars_controller_retries_total")
		for _, want := range []string{`kars_controller_reconcile_errors_total{crd_kind="ToolPolicy",error_class="Forbidden"}`,
			`kars_controller_retries_total{crd_kind="ToolPolicy"}`} {
			if have[want] == 0 {
				return fmt.Errorf("the metrics have %v, and no %s", have, want)
			}
		}
		return nil
	})
	binding.ResourceVersion, binding.UID = "", ""
	w.Create(t, binding)
	world.Eventually(t, func() error { return w.Judged(t, tools, "Ready") })
}

// counted returns the counters of some names that are above zero, by name and labels.
func (w *kars) counted(t *testing.T, names ...string) map[string]float64 {
	t.Helper()
	families, err := w.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, family := range families {
		for _, name := range names {
			if family.GetName() != name {
				continue
			}
			for _, m := range family.GetMetric() {
				var text []string
				for _, l := range m.GetLabel() {
					text = append(text, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
				}
				if n := m.GetCounter().GetValue(); n > 0 {
					out[name+"{"+strings.Join(text, ",")+"}"] = n
				}
			}
		}
	}
	return out
}

// watchHeap looks at the heap until the returned function is called, which returns the largest size seen.
func watchHeap(t *testing.T) func() int64 {
	t.Helper()
	var once sync.Once
	stop, most := make(chan struct{}), make(chan int64, 1)
	go func() {
		sample, largest := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}, int64(0)
		for {
			metrics.Read(sample)
			largest = max(largest, int64(sample[0].Value.Uint64()))
			select {
			case <-stop:
				most <- largest
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	end := func() { once.Do(func() { close(stop) }) }
	t.Cleanup(end)
	return func() int64 { end(); return <-most }
}

func parsed(t *testing.T, text string) *url.URL {
	t.Helper()
	at, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
