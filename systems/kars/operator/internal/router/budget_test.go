// SPDX-License-Identifier: Apache-2.0

package router

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestBudget: "Per-request token budgets are enforced today", whatever a call declares. The budget is 100 tokens; the models see only calls
// within it.
func TestBudget(t *testing.T) {
	k := newKit(t)
	k.write(t, "inference/inference-policy.json", `{"tokenBudget":{"perRequestTokens":100}}`)
	k.write(t, "a2a/agent.json", `{"id":"team/agent"}`)
	k.state.Load()
	var seen, agent string
	models := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if seen, agent = string(body), r.Header.Get(AgentHeader); r.Header.Get("Authorization") != "" {
			t.Error("the token of the agent was forwarded")
		}
	}))
	defer models.Close()
	at, err := url.Parse(models.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{State: k.state, Token: func() string { return "secret" }, Agent: func() string { return "agent" }, Inference: at}
	server, operator := httptest.NewServer(s.AgentHandler()), httptest.NewServer(s.Handler())
	defer server.Close()
	defer operator.Close()
	const chat, responses = "/v1/chat/completions", "/v1/responses"
	tests := map[string]struct {
		path, call string
		code       int
		want       string // body that the models get; empty: as it was sent
	}{
		"declares little":          {chat, `{"max_tokens":10}`, 200, ""},
		"declares too much":        {chat, `{"max_tokens":101}`, 429, ""},
		"responses, too much":      {responses, `{"max_output_tokens":101}`, 429, ""},
		"declares nothing":         {chat, `{"p":"a"}`, 200, `{"max_completion_tokens":97,"p":"a"}`},
		"declares null":            {chat, `{"max_tokens":null}`, 200, `{"max_completion_tokens":95,"max_tokens":null}`},
		"nothing, of responses":    {responses, `{}`, 200, `{"max_output_tokens":99}`},
		"nothing, of completions":  {"/v1/completions", `{}`, 200, `{"max_tokens":99}`},
		"the prompt counts":        {chat, `{"max_tokens":100}`, 200, `{"max_tokens":95}`},
		"a prompt over the budget": {chat, `{"p":"` + strings.Repeat("a", 400) + `"}`, 429, ""},
		"several answers":          {chat, `{"n":2}`, 200, `{"max_completion_tokens":49,"n":2}`},
		"too many answers":         {chat, `{"n":1000}`, 429, ""},
		"an embedding":             {"/v1/embeddings", `{"input":"a"}`, 200, ""},
		"a negative limit":         {chat, `{"max_tokens":-1}`, 400, ""},
		"a limit that is a text":   {chat, `{"max_tokens":"10"}`, 400, ""},
		"no object":                {chat, `[]`, 400, ""},
		"null":                     {chat, `null`, 400, ""},
	}
	for name, test := range tests {
		seen, agent = "", ""
		code := call(t, http.MethodPost, server.URL+test.path, "Bearer agent", test.call)
		want := test.want
		if want == "" && test.code == http.StatusOK {
			want = test.call
		}
		if code != test.code || seen != want {
			t.Errorf("%s: %d, want %d; the models see %s, want %s", name, code, test.code, seen, want)
		}
		if test.code == http.StatusOK && agent != "team/agent" {
			t.Errorf("%s: the call names agent %q", name, agent)
		}
	}

	// The scores come after the decisions and decide nothing.
	request, err := http.NewRequest(http.MethodGet, operator.URL+ScoresPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	for token, code := range map[string]int{"": 401, "Bearer secret": 200} {
		request.Header.Set("Authorization", token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != code || (code == 200) != strings.Contains(string(body),
			`"inference /v1/chat/completions":{"allowed":5,"refused":3,"score":625}`) {
			t.Errorf("the scores with %q: %d %s, %v", token, response.StatusCode, body, err)
		}
	}
}

// TestPermitted: a policy for one action and some models refuses others.
func TestPermitted(t *testing.T) {
	k := newKit(t)
	k.write(t, "inference/inference-policy.json",
		`{"action":"chat","modelPreference":{"primary":{"provider":"p","deployment":"large"},"fallback":[{"provider":"p","deployment":"small"}]}}`)
	k.state.Load()
	for _, test := range []struct{ path, call, want string }{
		{"/v1/chat/completions", `{"model":"large"}`, Allowed},
		{"/v1/chat/completions", `{"model":"small"}`, Allowed},
		{"/v1/chat/completions", `{}`, Allowed},
		{"/v1/chat/completions", `{"model":"other"}`, Blocked},
		{"/v1/chat/completions", `{"model":["large"]}`, Blocked},
		{"/v1/chat/completions", `{"model":null}`, Blocked},
		{"/v1/embeddings", `{"model":"large"}`, Blocked},
		{"/v1/embeddings/chat/completions", `{"model":"large"}`, Blocked},
		{"/v1/responses", `{"model":"large"}`, Blocked},
		{"/v1/completions", `{"model":"large"}`, Blocked},
	} {
		if d, _, err := k.state.meter(test.path, []byte(test.call)); err != nil || d.Decision != test.want {
			t.Errorf("%s %s: %+v, %v; want %s", test.path, test.call, d, err, test.want)
		}
	}
}

// TestScores: subjects are bounded.
func TestScores(t *testing.T) {
	var s Scores
	for i := range 3 * maxScores {
		s.add("egress", string(rune('a'+i)), Decision{Decision: Blocked})
	}
	if len(s.seen) != maxScores || s.seen["others"].Refused < maxScores || s.seen["others"].Score != 0 {
		t.Errorf("%d subjects, others: %+v", len(s.seen), s.seen["others"])
	}
}
