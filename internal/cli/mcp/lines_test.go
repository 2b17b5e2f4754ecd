// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/cli/app"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":"x","version":"1"}}}`

// TestStrayLines: a line that is no message is answered with an error, and the session goes on.
func TestStrayLines(t *testing.T) {
	for name, stray := range map[string]string{
		"words": "hello?", "a number": "7", "an empty list": "[]", "half a message": `{"jsonrpc":"2.0","id":1,`, "no message": `{"a":1}`,
		"empty lines": "\n\r\n \n", "a long line": strings.Repeat("x", maxLine+100), "two messages": `{"jsonrpc":"2.0"}{"jsonrpc":"2.0"}`,
	} {
		t.Run(name, func(t *testing.T) {
			var got, answers bytes.Buffer
			filter(bufio.NewReader(strings.NewReader(stray+"\n"+hello)), &got, newLineWriter(&answers))
			if got.String() != hello+"\n" {
				t.Errorf("passed on: %.200s", &got)
			}
			if want := strings.TrimSpace(stray) != ""; strings.Contains(answers.String(), `"error"`) != want {
				t.Errorf("answers %s, want an error: %t", &answers, want)
			}
		})
	}
}

// TestEveryRequestIsAnswered: a client may send its requests and close the line; one that it cancels may stay without an answer.
func TestEveryRequestIsAnswered(t *testing.T) {
	const requests = 20
	var lines strings.Builder
	lines.WriteString(hello + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	for i := range requests {
		fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", i+2)
	}
	lines.WriteString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n")
	s := &server{app: &app.App{Env: func(string) string { return "" }, Err: io.Discard}, mark: func() string { return "X" }}
	var out bytes.Buffer
	if err := serve(t.Context(), s.server("v0"), strings.NewReader(lines.String()), &out); err != nil {
		t.Fatal(err)
	}
	for id := 1; id <= requests+1; id++ {
		if id != 2 && !strings.Contains(out.String(), fmt.Sprintf(`"id":%d,`, id)) {
			t.Errorf("no answer to %d", id)
		}
	}
}

// FuzzServe: no lines make the server panic, and each of its own is JSON.
func FuzzServe(f *testing.F) {
	f.Add([]byte("hello?\n7\n[]\n{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x\"}"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"explain","arguments":{"word":"Machine"}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status","arguments":{"limit":-1,"objects":[7]}}}`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		s := &server{app: &app.App{Env: func(string) string { return "" }, Err: io.Discard}, mark: func() string { return "X" },
			files: []string{"example:none"}}
		var out bytes.Buffer
		_ = serve(context.Background(), s.server("v0"), io.MultiReader(strings.NewReader(hello+"\n"), bytes.NewReader(lines)), &out) // of the session
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("not JSON: %.200s", line)
			}
		}
	})
}
