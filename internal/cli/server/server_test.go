// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/rows"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func widget(name, status, message, version string) *relation.Object {
	return relation.FromContent(map[string]any{"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"namespace": "a", "name": name, "uid": name, "resourceVersion": version},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": status, "reason": "Because", "message": message,
			"lastTransitionTime": "2026-01-02T11:00:00Z"}}}})
}

// start serves two objects, one of them hostile, to whoever has the token "secret".
func start(t *testing.T) (*httptest.Server, *rows.Source, *http.Client) {
	set := &catalog.Set{}
	clock := func() time.Time { return noon }
	fleet := rows.New(clock)
	source := fleet.Add(rows.Options{Graph: relation.New(set),
		Judge: func() rows.Judge { return relation.JudgeBy(pack.Default(set), set, noon) }})
	source.Sync([]*relation.Object{widget("good", "True", "", "1"), widget("<script>", "False", "</script>\n\ndata: x\nevent: hello\n\"'&",
		"1")})
	page := fstest.MapFS{"index.html": {Data: []byte("<!doctype html>page")}, "assets/a.js": {Data: []byte("1")},
		"assets/a.js.gz": {Data: []byte("zipped")}}
	s := httptest.NewServer(New(Options{Fleet: fleet, Auth: Token("secret"), Mode: "files", Page: page}))
	t.Cleanup(s.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, source, &http.Client{Jar: jar}
}

func get(t *testing.T, c *http.Client, address string, into any) *http.Response {
	t.Helper()
	r, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if into != nil {
		if err := json.NewDecoder(r.Body).Decode(into); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
	}
	return r
}

func TestSignIn(t *testing.T) {
	s, _, c := start(t)
	var refused api.Error
	if r := get(t, c, s.URL+"/api/v1/about", &refused); r.StatusCode != http.StatusUnauthorized || refused.Error.Code != "Unauthorized" {
		t.Errorf("without a cookie: %d %+v", r.StatusCode, refused)
	}
	if r := get(t, c, s.URL+"/?token=wrong", nil); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("with a wrong token: %d", r.StatusCode)
	}
	r := get(t, c, s.URL+"//evil.example/?token=secret&kind=Pod", nil)
	if r.Request.URL.Host != strings.TrimPrefix(s.URL, "http://") || r.Request.URL.RawQuery != "kind=Pod" {
		t.Errorf("the token leads to %s", r.Request.URL)
	}
	var about api.About
	if r := get(t, c, s.URL+"/api/v1/about", &about); r.StatusCode != http.StatusOK || about.Clusters[0].Objects != 2 {
		t.Errorf("with the cookie: %d %+v", r.StatusCode, about)
	}
	u, _ := url.Parse(s.URL)
	for _, cookie := range c.Jar.Cookies(u) {
		if cookie.Value == "secret" {
			t.Error("the cookie is the secret")
		}
	}
	get(t, c, s.URL+"/api/v1/session?end=true", nil)
	if r := get(t, c, s.URL+"/api/v1/about", nil); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the end of the session: %d", r.StatusCode)
	}
}

func TestRefused(t *testing.T) {
	s, _, _ := start(t)
	tests := map[string]struct {
		method, path string
		header       map[string]string
		want         int
	}{
		"a write":              {"POST", "/api/v1/objects", nil, 405},
		"a deletion":           {"DELETE", "/api/v1/objects", nil, 405},
		"another host":         {"GET", "/api/v1/objects", map[string]string{"Host": "evil.example"}, 403},
		"another origin":       {"GET", "/api/v1/objects", map[string]string{"Origin": "http://evil.example"}, 403},
		"no origin":            {"GET", "/api/v1/objects", map[string]string{"Origin": "null"}, 403},
		"another site":         {"GET", "/api/v1/objects", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"unknown answer":       {"GET", "/api/v1/pods", nil, 404},
		"bad verdict":          {"GET", "/api/v1/objects?verdict=Bad", nil, 400},
		"bad label":            {"GET", "/api/v1/objects?label=%21%21", nil, 400},
		"bad limit":            {"GET", "/api/v1/objects?limit=100000", nil, 400},
		"negative offset":      {"GET", "/api/v1/objects?offset=-1", nil, 400},
		"bad sort":             {"GET", "/api/v1/objects?sort=x", nil, 400},
		"long text":            {"GET", "/api/v1/objects?text=" + strings.Repeat("x", 5000), nil, 400},
		"bad id":               {"GET", "/api/v1/tree?id=x", nil, 400},
		"unknown cluster":      {"GET", "/api/v1/tree?id=c/Pod/a/b", nil, 404},
		"unknown object":       {"GET", "/api/v1/why?id=/Pod/a/b", nil, 404},
		"bad time":             {"GET", "/api/v1/at?time=noon", nil, 400},
		"a file outside":       {"GET", "/assets/..%2f..%2fserver.go", nil, 404},
		"a file that is there": {"GET", "/assets/a.js", nil, 200},
		"a place in the page":  {"GET", "/object/x", nil, 200},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequest(test.method, s.URL+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer secret")
			for k, v := range test.header {
				if k == "Host" {
					r.Host = v
				} else {
					r.Header.Set(k, v)
				}
			}
			got, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			if got.StatusCode != test.want {
				t.Errorf("status is %d, want %d", got.StatusCode, test.want)
			}
			if policy := got.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") ||
				strings.Contains(policy, "unsafe") {
				t.Errorf("the policy is %q", policy)
			}
		})
	}
}

// message is one of a stream.
type message struct{ event, id, data string }

func next(t *testing.T, in *bufio.Scanner) message {
	t.Helper()
	var m message
	for in.Scan() {
		name, value, _ := strings.Cut(in.Text(), ": ")
		switch name {
		case "event":
			m.event = value
		case "id":
			m.id = value
		case "data":
			m.data += value
		case "":
			return m
		}
	}
	t.Fatal("the stream ended")
	return m
}

func open(t *testing.T, s *httptest.Server, query, last string) *bufio.Scanner {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/stream?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer secret")
	r.Header.Set("Last-Event-ID", last)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { got.Body.Close() })
	return bufio.NewScanner(got.Body)
}

// A stream says where it begins, sends what changes within its filter, and is taken up where it was cut; hostile texts stay within one
// message.
func TestStream(t *testing.T) {
	s, source, _ := start(t)
	in := open(t, s, "unhealthy=true", "")
	var hello api.Hello
	first := next(t, in)
	if err := json.Unmarshal([]byte(first.data), &hello); err != nil || first.event != "hello" || hello.Resumed {
		t.Fatalf("the first message is %+v (%v)", first, err)
	}
	change := func(in *bufio.Scanner) (d api.Delta) {
		t.Helper()
		for {
			m := next(t, in)
			if m.event == "beat" {
				continue
			}
			if err := json.Unmarshal([]byte(m.data), &d); err != nil || m.event != "change" {
				t.Fatalf("message %+v: %v", m, err)
			}
			return d
		}
	}
	source.Sync([]*relation.Object{widget("good", "False", "now", "2"), widget("<script>", "True", "", "2")})
	d := change(in)
	if d.Prev != hello.Seq || len(d.Rows) != 1 || d.Rows[0].Object.Name != "good" || len(d.Removed) != 1 || d.Filtered != 1 {
		t.Errorf("the change is %+v", d)
	}
	again := open(t, s, "", first.id)
	if m := next(t, again); m.event != "hello" || !strings.Contains(m.data, `"resumed":true`) {
		t.Fatalf("a stream that was cut begins with %+v", m)
	}
	if d := change(again); d.Prev != hello.Seq || len(d.Rows) != 2 {
		t.Errorf("what was missed is %+v", d)
	}
	if m := next(t, open(t, s, "", "another-7")); !strings.Contains(m.data, `"resumed":false`) {
		t.Errorf("after a restart a stream begins with %+v", m)
	}
}
