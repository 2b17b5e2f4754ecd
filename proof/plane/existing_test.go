// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const twoContexts = `apiVersion: v1
kind: Config
clusters:
- {name: here, cluster: {server: "https://127.0.0.1:6443"}}
- {name: there, cluster: {server: "https://production.example.com"}}
contexts:
- {name: here, context: {cluster: here}}
- {name: there, context: {cluster: there}}
current-context: CURRENT
`

func TestExisting(t *testing.T) {
	dir := t.TempDir()
	file := func(current string) string {
		path := filepath.Join(dir, current)
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(twoContexts, "CURRENT", current)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	here, there := file("here"), file("there")
	tests := map[string]struct {
		kubeconfig, consent string
		want, wantErr       string
	}{
		"this machine":          {kubeconfig: here, consent: "1", want: "https://127.0.0.1:6443"},
		"elsewhere":             {kubeconfig: there, consent: "1", wantErr: "is not on this machine"},
		"elsewhere, named":      {kubeconfig: there, consent: "there", want: "https://production.example.com"},
		"named, not current":    {kubeconfig: there, consent: "here", want: "https://127.0.0.1:6443"},
		"unknown context":       {kubeconfig: there, consent: "nowhere", wantErr: `context "nowhere" does not exist`},
		"no KUBECONFIG":         {consent: "1", wantErr: "KUBECONFIG is not"},
		"several files":         {kubeconfig: here + string(filepath.ListSeparator) + there, consent: "1", wantErr: "must name one file"},
		"a file that is absent": {kubeconfig: filepath.Join(dir, "absent"), consent: "1", wantErr: "absent"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cfg, err := existing(test.kubeconfig, test.consent)
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Errorf("want error %q, got %v", test.wantErr, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Host != test.want {
				t.Errorf("host: want %s, got %s", test.want, cfg.Host)
			}
		})
	}
}

func TestOnLoopback(t *testing.T) {
	tests := map[string]bool{
		"https://127.0.0.1:6443":         true,
		"https://127.9.9.9":              true,
		"https://[::1]:6443":             true,
		"https://localhost:6443":         true,
		"https://localhost.example.com":  false,
		"https://10.0.0.1:6443":          false,
		"https://127.0.0.1@example.com":  false,
		"https://127.0.0.1.example.com/": false,
		"127.0.0.1:6443":                 false,
		"":                               false,
		"://":                            false,
	}
	for server, want := range tests {
		if got := onLoopback(server); got != want {
			t.Errorf("onLoopback(%q): want %t, got %t", server, want, got)
		}
	}
}
