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

// TestBudget: "Per-request token budgets are enforced today", whatever a call declares. The budget is 100 tokens; the models see only calls within it.
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
		seen, agent = string(body), r.Header.Get(AgentHeader)
	}))
	defer models.Close()
	at, err := url.Parse(models.URL)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer((&Server{State: k.state, Token: func() string { return "secret" }, Inference: at}).Handler())
	defer server.Close()
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
		response, err := http.Post(server.URL+test.path, "application/json", strings.NewReader(test.call))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		want := test.want
		if want == "" && test.code == http.StatusOK {
			want = test.call
		}
		if response.StatusCode != test.code || seen != want {
			t.Errorf("%s: %d, want %d; the models see %s, want %s", name, response.StatusCode, test.code, seen, want)
		}
		if test.code == http.StatusOK && agent != "team/agent" {
			t.Errorf("%s: the call names agent %q", name, agent)
		}
	}

	// The scores come after the decisions and decide nothing.
	request, err := http.NewRequest(http.MethodGet, server.URL+ScoresPath, nil)
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
		if err != nil || response.StatusCode != code || (code == 200) != strings.Contains(string(body), `"inference /v1/chat/completions":{"allowed":5,"refused":3,"score":625}`) {
			t.Errorf("the scores with %q: %d %s, %v", token, response.StatusCode, body, err)
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
