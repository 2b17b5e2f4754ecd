// SPDX-License-Identifier: Apache-2.0

package router

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
)

// kit is a router whose artifacts are in a folder.
type kit struct {
	root  string
	state *State
	now   time.Time
}

func newKit(t *testing.T) *kit {
	k := &kit{root: t.TempDir(), now: time.Unix(1_000_000, 0).UTC()}
	k.state = NewState(k.root, func() time.Time { return k.now })
	return k
}

func (k *kit) write(t *testing.T, path, body string) {
	t.Helper()
	path = filepath.Join(k.root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (k *kit) entries(t *testing.T) map[string]string {
	t.Helper()
	var s echo.Status
	if err := json.Unmarshal(k.state.Status(), &s); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range s.Entries {
		text := "-"
		if e.Digest != nil {
			text = *e.Digest
		}
		if e.LastError != nil {
			text += " error"
		}
		out[e.Kind] = text
	}
	return out
}

// TestLoad: an artifact that cannot be read leaves the last good one in force, with its error beside it.
func TestLoad(t *testing.T) {
	k := newKit(t)
	nothing := digest.Of(digest.EgressApproval, digest.Allowlist(nil))
	k.state.Load()
	if diff := cmp.Diff(map[string]string{digest.EgressApproval: nothing}, k.entries(t)); diff != "" {
		t.Errorf("of an empty folder: -want +got\n%s", diff)
	}
	const profile = "tools:\n  deny: [shell]\n"
	k.write(t, "tools/agt-profile.yaml", profile)
	if !k.state.Load() || k.state.Load() {
		t.Error("a look at something new is a change, a second one is not")
	}
	good := digest.Of(digest.AgtProfile, []byte(profile))
	k.write(t, "tools/agt-profile.yaml", "tools: [")
	k.state.Load()
	if got := k.entries(t)[digest.AgtProfile]; got != good+" error" {
		t.Errorf("a broken profile: %s", got)
	}
	if d := k.state.tool("shell"); d.Decision != Blocked {
		t.Errorf("the last good profile is not in force: %+v", d)
	}
	k.write(t, "tools/agt-profile.yaml", profile)
	k.state.Load()
	if got := k.entries(t)[digest.AgtProfile]; got != good {
		t.Errorf("mended: %s", got)
	}
	if err := os.Remove(filepath.Join(k.root, "tools/agt-profile.yaml")); err != nil {
		t.Fatal(err)
	}
	k.state.Load()
	if _, there := k.entries(t)[digest.AgtProfile]; there {
		t.Error("a profile that is gone is still reported")
	}
}

func TestDecide(t *testing.T) {
	k := newKit(t)
	k.write(t, "tools/agt-profile.yaml", "tools:\n  allow: [search, shell]\n  deny: [shell]\n")
	k.write(t, "inference/inference-policy.json", `{"tokenBudget":{"perRequestTokens":100}}`)
	k.write(t, "memory/binding.json", `{"storeName":"notes","scope":"red"}`)
	k.write(t, "egress/allowlist.json", `{"schemaVersion":1,"endpoints":[{"host":"a.example.com","port":443}]}`)
	grant, err := json.Marshal(digest.Grant{ApprovalName: "one", Hosts: []digest.Endpoint{{Host: "b.example.com", Port: 443}},
		ExpiresAt: k.now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	k.write(t, "approvals/approval-one.json", string(grant))
	k.state.Load()
	tests := map[string]struct {
		scenario Scenario
		want     string
	}{
		"allowed tool":            {Scenario{Kind: "tool", Tool: "search"}, "Allowed ToolPolicy"},
		"denied outranks allowed": {Scenario{Kind: "tool", Tool: "shell"}, "Blocked ToolPolicy"},
		"tool not named":          {Scenario{Kind: "tool", Tool: "mail"}, "Blocked ToolPolicy"},
		"listed host":             {Scenario{Kind: "egress", Host: "A.example.com."}, "Allowed KarsSandbox"},
		"another port":            {Scenario{Kind: "egress", Host: "a.example.com", Port: 80}, "Blocked KarsSandbox"},
		"granted host":            {Scenario{Kind: "egress", Host: "b.example.com"}, "Allowed EgressApproval"},
		"unknown host":            {Scenario{Kind: "egress", Host: "c.example.com"}, "Blocked KarsSandbox"},
		"within the budget":       {Scenario{Kind: "inference", Tokens: 100}, "Allowed InferencePolicy"},
		"over the budget":         {Scenario{Kind: "inference", Tokens: 101}, "BudgetExceeded InferencePolicy"},
		"own memory":              {Scenario{Kind: "memory", Scope: "red"}, "Allowed KarsMemory"},
		"memory of others":        {Scenario{Kind: "memory", Scope: "blue"}, "Blocked KarsMemory"},
	}
	for name, test := range tests {
		d, err := k.state.Decide(test.scenario)
		if got := d.Decision + " " + d.ByPolicyKind; err != nil || got != test.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, test.want)
		}
	}
	k.now = k.now.Add(2 * time.Hour)
	if d := k.state.egress("b.example.com", 443); d.Decision != Blocked {
		t.Errorf("a grant past its time: %+v", d)
	}
}

// TestServe: the status needs the token, the memory reports what its store answers, and CONNECT goes to allowed destinations only.
func TestServe(t *testing.T) {
	k := newKit(t)
	code := http.StatusForbidden
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/memory_stores/notes/red/today" {
			t.Errorf("the store is asked for %s", r.URL.Path)
		}
		w.WriteHeader(code)
	}))
	defer store.Close()
	destination, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer destination.Close()
	go func() {
		for {
			c, err := destination.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "hello")
			c.Close()
		}
	}()
	port := int32(destination.Addr().(*net.TCPAddr).Port)
	k.write(t, "memory/binding.json", `{"storeName":"notes","scope":"red"}`)
	k.write(t, "egress/allowlist.json", string(digest.Allowlist([]digest.Endpoint{{Host: "127.0.0.1", Port: port}})))
	k.state.Load()
	at, err := url.Parse(store.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{State: k.state, Token: func() string { return "secret" }, Agent: func() string { return "agent" }, Memory: at}
	server, agent := httptest.NewServer(s.Handler()), httptest.NewServer(s.AgentHandler())
	defer server.Close()
	defer agent.Close()

	// What the operator may see is not served to the agent, and the other way round.
	for _, test := range []struct {
		url, header string
		want        int
	}{{server.URL + echo.Path, "", 401}, {server.URL + echo.Path, "Bearer wrong", 401}, {server.URL + echo.Path, "Bearer agent", 401},
		{server.URL + echo.Path, "Bearer secret", 200},
		{server.URL + "/memory/today", "Bearer secret", 404}, {server.URL + "/v1/models", "Bearer agent", 404},
		{agent.URL + echo.Path, "Bearer secret", 404},
		{agent.URL + EvaluatePath, "Bearer agent", 404}, {agent.URL + "/memory/today", "", 401}, {agent.URL + "/memory/today", "Bearer secret",
			401}, {agent.URL + "/v1/models", "Bearer", 401}} {
		if have := call(t, http.MethodGet, test.url, test.header, ""); have != test.want {
			t.Errorf("%s with %q: %d, want %d", test.url, test.header, have, test.want)
		}
	}
	for _, step := range []struct {
		code   int
		prefix string
	}{{403, echo.PrefixAuth}, {404, echo.PrefixMissing}, {500, echo.PrefixMissing}, {200, ""}} {
		code = step.code
		call(t, http.MethodGet, agent.URL+"/memory/../memory/today", "Bearer agent", "")
		var status echo.Status
		if err := json.Unmarshal(k.state.Status(), &status); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range status.Entries {
			if e.Kind == digest.Memory && e.LastError != nil {
				got = *e.LastError
			}
		}
		if step.prefix == "" && got != "" || !strings.HasPrefix(got, step.prefix) {
			t.Errorf("after %d: %q", step.code, got)
		}
	}

	proxy := httptest.NewServer(s.Proxy())
	defer proxy.Close()
	const good, bad = "YWdlbnQ6YWdlbnQ=", "YWdlbnQ6c2VjcmV0" // agent:agent, agent:secret
	allowed := destination.Addr().String()
	for _, test := range [][3]string{{allowed, good, "200"}, {"127.0.0.1:1", good, "403"}, {"nonsense", good, "405"}, {allowed, bad, "407"},
		{allowed, "", "407"}} {
		target, want := test[0], test[2]
		c, err := net.Dial("tcp", strings.TrimPrefix(proxy.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, "CONNECT "+target+" HTTP/1.1\r\nHost: "+target+"\r\nProxy-Authorization: Basic "+test[1]+
			"\r\nConnection: close\r\n\r\n")
		answer, err := io.ReadAll(c)
		c.Close()
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+want) || (want == "200") != strings.HasSuffix(string(answer), "hello") {
			t.Errorf("CONNECT %s: %q, %v", target, answer, err)
		}
	}
}

// call returns the status of the answer to a request.
func call(t *testing.T, method, url, authorization, body string) int {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", authorization)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}
