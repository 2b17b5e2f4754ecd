// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"
	"github.com/tristate/tristate/internal/cli"
)

// most is how many tokens an answer may have.
const most = 2000

// TestTokens: no answer has more tokens than it may by either of two tokenizers: about real objects, and about names with hashes, other
// scripts, digits and marks.
func TestTokens(t *testing.T) {
	var codecs []tokenizer.Codec
	for _, name := range []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase} {
		c, err := tokenizer.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		codecs = append(codecs, c)
	}
	inputs := map[string]string{"prod": "../../../systems/cluster-api/samples/prod.yaml", "shop": "../../../examples/shop/shop.yaml"}
	for name, word := range map[string]string{"hashes": "7c9f8d6b5d-x2x4z sha256:9f86d081884c7d659a2feaa0c55ad015 ",
		"digits": "1234567890 10.244.0.17:6443 ", "marks": "{}[]<>:;!?/\\|@#$%^&*() ",
		"scripts": "証明書の有効期限が切れています сертификат истёк 🔥🔥 ", "words": "the certificate of the issuer has expired and has to be renewed by hand ",
		"capitals": "QXZJKWVBNMPLOKIJUHYGTFRDESW "} {
		var b strings.Builder
		for i := range 200 {
			fmt.Fprintf(&b, "---\napiVersion: example.org/v1\nkind: Widget\nmetadata: {name: \"w-7c9f8d6b5d-%d\", namespace: shop}\nstatus:\n  conditions:\n  - {type: Ready, status: \"False\", reason: Broken%d, message: %q, lastTransitionTime: \"2026-01-02T03:04:05Z\"}\n",
				i, i, strings.Repeat(word, 1+i%20))
		}
		file := filepath.Join(t.TempDir(), name+".yaml")
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		inputs[name] = file
	}
	largest := map[string]int{}
	for name, file := range inputs {
		s := session(t, "-f", file)
		list, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			arguments := map[string]any{"limit": 100}
			switch tool.Name {
			case "why", "history":
				arguments = map[string]any{"object": "widget/w-7c9f8d6b5d-199"}
			case "tree":
				arguments["object"] = "widget/w-7c9f8d6b5d-199"
			case "explain":
				arguments["word"] = ""
			}
			result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: arguments})
			if err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
			text := result.Content[0].(*mcp.TextContent).Text
			for _, c := range codecs {
				n, err := c.Count(text)
				if err != nil {
					t.Fatal(err)
				}
				largest[tool.Name] = max(largest[tool.Name], n)
				if n > most {
					t.Errorf("%s about %s: %d tokens by %s", tool.Name, name, n, c.GetName())
				}
			}
		}
	}
	t.Logf("the largest answers, in tokens: %v", largest)
	if largest["status"] < most/2 {
		t.Error("no answer is near the limit")
	}
}

// session starts the command in this process.
func session(t *testing.T, args ...string) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	a := &cli.App{In: in, Out: out, Err: io.Discard, Env: func(string) string { return "" }, Name: "tristate",
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 18, 5, 0, time.UTC) }}
	go func() {
		a.Run(context.Background(), append([]string{"mcp"}, args...))
		out.Close()
	}()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
