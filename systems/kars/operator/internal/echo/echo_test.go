// SPDX-License-Identifier: Apache-2.0

package echo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// TestRead: the possible answers of a router.
func TestRead(t *testing.T) {
	tests := map[string]struct{ body, want string }{
		"nothing loaded": {`{"schema_version":1,"count":0,"entries":[]}`, ""},
		"unknown schema": {`{"schema_version":2,"entries":[]}`, "schema version 2 is not known"},
		"no schema":      {`{}`, "schema version 0 is not known"},
		"no JSON":        {`hello`, "not JSON"},
		"a megabyte":     {strings.Repeat(" ", MaxBody) + "{}", "longer than"},
		"many entries":   {`{"schema_version":1,"entries":[` + strings.Repeat(`{},`, 99) + `{}]}`, "at most 64"},
	}
	for name, test := range tests {
		_, err := read(strings.NewReader(test.body))
		if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	entries, err := read(strings.NewReader(fmt.Sprintf(`{"schema_version":1,"entries":[{"kind":"Memory","last_error":%q}]}`, "a\nb"+
		strings.Repeat("é", 600))))
	if err != nil || len([]rune(*entries[0].LastError)) != MaxError || strings.Contains(*entries[0].LastError, "\n") {
		t.Errorf("a long error: %v, %v", entries, err)
	}
	long := strings.Repeat("x", 100<<10)
	entries, err = read(strings.NewReader(
		fmt.Sprintf(`{"schema_version":1,"entries":[{"kind":%q},{"kind":"Memory","digest":%[1]q,"source_path":%[1]q,"loaded_at":%[1]q,"store_seen_at":%[1]q}]}`, long)))
	if err != nil || len(entries) != 1 || entries[0] != (Entry{Kind: "Memory"}) {
		t.Errorf("of long values %v are kept, %v", entries, err)
	}
}

// TestEntry: two entries of one kind that differ confirm nothing, in whatever order; the same entry twice is one.
func TestEntry(t *testing.T) {
	const good, other = `{"kind":"AgtProfile","digest":"sha256:a"}`, `{"kind":"AgtProfile","digest":"sha256:b"}`
	for body, want := range map[string]bool{
		good: true, other: false, good + "," + good: true, good + "," + other: false, other + "," + good: false, good + "," + other + "," +
			good: false,
		good + `,{"kind":"AgtProfile","digest":"sha256:a","last_error":"cannot be read"}`: false, good +
			`,{"kind":"AgtProfile","digest":null}`: false,
		good + `,{"kind":"Memory","digest":"sha256:b"}`: true,
	} {
		entries, err := read(strings.NewReader(`{"schema_version":1,"entries":[` + body + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := (Report{Entries: entries}).Reports("AgtProfile", "sha256:a"); got != want {
			t.Errorf("%s: confirmed is %v, want %v", body, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"schema_version":1,"count":1,"entries":[{"kind":"Memory","digest":null,"last_error":"x"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		if entries, err := read(strings.NewReader(body)); err == nil && len(entries) > maxEntries {
			t.Errorf("%d entries", len(entries))
		}
	})
}

// TestPoller: a router that hangs delays nobody else, errors name no token, and a push counts as an answer.
func TestPoller(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/dead") {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
			return
		}
		fmt.Fprint(w, `{"schema_version":1,"entries":[{"kind":"Memory","digest":"sha256:1"}]}`)
	}))
	defer server.Close()
	var mu sync.Mutex
	changed := map[string]bool{}
	all := make(chan struct{})
	var once sync.Once
	store := &Store{}
	store.Changed = func(s types.NamespacedName) {
		mu.Lock()
		defer mu.Unlock()
		if changed[s.Name] = true; len(changed) == 50 {
			once.Do(func() { close(all) })
		}
	}
	p := &Poller{Store: store, Client: server.Client(), Workers: 2, URL: func(s types.NamespacedName) string {
		return server.URL + "/" +
			s.Name
	},
		Token: func(_ context.Context, s types.NamespacedName) (string, error) {
			if s.Name == "tokenless" {
				return "", errors.New("secret-of-the-token")
			}
			return "token", nil
		}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Start(ctx) }()
	dead := types.NamespacedName{Namespace: "a", Name: "dead"}
	p.Watch(dead)
	for i := range 49 {
		p.Watch(types.NamespacedName{Namespace: "a", Name: fmt.Sprint("live-", i)})
	}
	tokenless := types.NamespacedName{Namespace: "a", Name: "tokenless"}
	p.Watch(tokenless)
	select {
	case <-all:
	case <-time.After(5 * time.Minute):
		t.Fatal("one dead router holds up the others")
	}
	if r, known := store.Get(dead); known && r.Err == nil {
		t.Errorf("the dead router reports %v", r)
	}
	if r, _ := store.Get(types.NamespacedName{Namespace: "a", Name: "live-7"}); !r.Reports("Memory", "sha256:1") {
		t.Errorf("a live router reports %v", r)
	}

	again := types.NamespacedName{Namespace: "a", Name: "live-8"}
	p.Unwatch(again, errors.New("nobody to ask"))
	if r, _ := store.Get(again); r.Err == nil || r.Reports("Memory", "sha256:1") {
		t.Errorf("a router that is not polled any more reports %v", r)
	}

	push := httptest.NewServer(p.Pushed())
	defer push.Close()
	for token, want := range map[string]int{"wrong": 401, "token": 204} {
		request, err := http.NewRequest(http.MethodPost, push.URL+PushPath+"a/live-7",
			strings.NewReader(`{"schema_version":1,"entries":[{"kind":"Memory","digest":"sha256:2"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("a push with token %q: %d, want %d", token, response.StatusCode, want)
		}
	}
	if r, _ := store.Get(types.NamespacedName{Namespace: "a", Name: "live-7"}); !r.Reports("Memory", "sha256:2") {
		t.Errorf("after a push the router reports %v", r)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if r, known := store.Get(tokenless); known && strings.Contains(fmt.Sprint(r.Err), "secret") {
		t.Errorf("an error has a secret: %v", r.Err)
	}
}

// TestWatch: a report from before a router is polled is dropped when polling begins: it may be that of another router.
func TestWatch(t *testing.T) {
	store, sandbox := &Store{}, types.NamespacedName{Namespace: "a", Name: "b"}
	p := &Poller{Store: store}
	p.Unwatch(sandbox, errors.New("the Deployment is not available"))
	if r, known := store.Get(sandbox); !known || r.Err == nil {
		t.Errorf("nobody to ask: %v, %v", r, known)
	}
	p.Watch(sandbox)
	if r, known := store.Get(sandbox); known {
		t.Errorf("the poll has not come yet: %v", r)
	}
	store.Set(sandbox, Report{Entries: []Entry{{Kind: "Memory"}}})
	p.Watch(sandbox)
	if _, known := store.Get(sandbox); !known {
		t.Error("a router that is polled already is forgotten")
	}
}

// TestLater: a router that nobody waits for is asked at least every 30 s, so that a confirmation is never older.
func TestLater(t *testing.T) {
	for range 1000 {
		if d := jitter(Later); d > 30*time.Second {
			t.Fatalf("a router is asked after %s", d)
		}
	}
}

// TestForgets: a router that reported a digest and reports nothing any more is heard, although nobody waits for it.
func TestForgets(t *testing.T) {
	answers := make(chan string, 2)
	answers <- `{"schema_version":1,"entries":[{"kind":"Memory","digest":"sha256:1"}]}`
	answers <- `{"schema_version":1,"entries":[]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, <-answers) }))
	defer server.Close()
	defer close(answers)
	heard := make(chan struct{}, 2)
	store := &Store{Changed: func(types.NamespacedName) { heard <- struct{}{} }}
	p := &Poller{Store: store, Client: server.Client(), Workers: 1, Later: time.Millisecond,
		URL:   func(types.NamespacedName) string { return server.URL },
		Token: func(context.Context, types.NamespacedName) (string, error) { return "token", nil }}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Start(ctx) }()
	sandbox := types.NamespacedName{Namespace: "a", Name: "b"}
	p.Watch(sandbox)
	<-heard
	<-heard
	if r, _ := store.Get(sandbox); r.Reports("Memory", "sha256:1") {
		t.Errorf("the router reports %v", r)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
