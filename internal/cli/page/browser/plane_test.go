// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// apiServer is a real API server, which the tests of this package share.
type apiServer struct {
	url    string
	ca     string // base64
	client *http.Client
	token  string // of its administrator
}

var sharedServer = struct {
	once sync.Once
	got  *apiServer
	err  error
	stop func()
}{}

// apiServerForTest starts the server with the first test that needs one.
func apiServerForTest(t *testing.T) *apiServer {
	t.Helper()
	binary := filepath.Join(root(t), "bin", "localplane")
	if _, err := os.Stat(binary); err != nil {
		if os.Getenv("TRISTATE_REQUIRE_PLANE") != "" {
			t.Fatal("bin/localplane has not been built; run: make bin/localplane")
		}
		t.Skip("bin/localplane has not been built; run: make bin/localplane")
	}
	sharedServer.once.Do(func() { sharedServer.got, sharedServer.err = startAPIServer(binary) })
	if sharedServer.err != nil {
		t.Fatal(sharedServer.err)
	}
	return sharedServer.got
}

func startAPIServer(binary string) (*apiServer, error) {
	cmd := exec.Command(binary, "up", "--quiet", "--until-eof", "--timeout=10m") // against hanging: a machine may be busy
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	sharedServer.stop = func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	path, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("localplane: %w", err)
	}
	data, err := os.ReadFile(strings.TrimSpace(path))
	if err != nil {
		return nil, err
	}
	field := func(name string) string {
		m := regexp.MustCompile(name + `: *"?([^"\s]+)`).FindSubmatch(data)
		if m == nil {
			return ""
		}
		return string(m[1])
	}
	authority, err := base64.StdEncoding.DecodeString(field("certificate-authority-data"))
	if err != nil {
		return nil, fmt.Errorf("kubeconfig of localplane: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	return &apiServer{url: field("server"), ca: field("certificate-authority-data"), token: field("token"),
		client: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}}, nil
}

// send sends an object and returns the answer. What is not there yet, as a kind that was just defined, is asked for again.
func (s *apiServer) send(t *testing.T, method, path, body string) map[string]any {
	t.Helper()
	for end := time.Now().Add(most); ; time.Sleep(100 * time.Millisecond) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, bytes.NewBufferString(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.token)
		r.Header.Set("Content-Type", map[string]string{http.MethodPatch: "application/merge-patch+json"}[method])
		if method == http.MethodPost {
			r.Header.Set("Content-Type", "application/json")
		}
		response, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode == http.StatusNotFound && method != http.MethodDelete && time.Now().Before(end) {
			continue
		}
		if response.StatusCode >= 300 && response.StatusCode != http.StatusConflict {
			t.Fatalf("%s %s: %s\n%s", method, path, response.Status, data)
		}
		var out map[string]any
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// namespace makes a namespace with a name of its own.
func (s *apiServer) namespace(t *testing.T) string {
	t.Helper()
	made := s.send(t, http.MethodPost, "/api/v1/namespaces", `{"metadata":{"generateName":"page-"}}`)
	name := made["metadata"].(map[string]any)["name"].(string)
	return name
}

// lamps defines the kind Lamp, and returns where its objects in a namespace are.
func (s *apiServer) lamps(t *testing.T, namespace string) string {
	t.Helper()
	s.send(t, http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
		`{"metadata":{"name":"lamps.page.example.dev"},"spec":{"group":"page.example.dev","scope":"Namespaced",
		"names":{"kind":"Lamp","plural":"lamps","singular":"lamp"},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}`)
	return "/apis/page.example.dev/v1/namespaces/" + namespace + "/lamps"
}

// lamp makes a lamp or changes it: its condition Ready gets a status and a reason.
func (s *apiServer) lamp(t *testing.T, lamps, name, status, reason string) {
	t.Helper()
	s.send(t, http.MethodPost, lamps, `{"apiVersion":"page.example.dev/v1","kind":"Lamp","metadata":{"name":"`+name+`"}}`)
	s.send(t, http.MethodPatch, lamps+"/"+name+"/status",
		fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":%q,"reason":%q,"message":"says %s","lastTransitionTime":%q}]}}`,
			status, reason, reason, time.Now().UTC().Format(time.RFC3339)))
}

// user makes a service account that may list lamps of a namespace, and returns its token.
func (s *apiServer) user(t *testing.T, namespace, name string) (token string) {
	t.Helper()
	s.send(t, http.MethodPost, "/api/v1/namespaces/"+namespace+"/serviceaccounts", `{"metadata":{"name":"`+name+`"}}`)
	rbac := "/apis/rbac.authorization.k8s.io/v1/namespaces/" + namespace
	s.send(t, http.MethodPost, rbac+"/roles", `{"metadata":{"name":"`+name+
		`"},"rules":[{"apiGroups":["page.example.dev"],"resources":["lamps"],"verbs":["list","watch"]}]}`)
	s.send(t, http.MethodPost, rbac+"/rolebindings", `{"metadata":{"name":"`+name+
		`"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"`+name+`"},"subjects":[{"kind":"ServiceAccount","name":"`+
		name+`","namespace":"`+namespace+`"}]}`)
	out := s.send(t, http.MethodPost, "/api/v1/namespaces/"+namespace+"/serviceaccounts/"+name+"/token", `{"spec":{}}`)
	return out["status"].(map[string]any)["token"].(string)
}

// kubeconfig writes one with a context for each user: a token, or the administrator where it is empty. The context gone is of a server that
// is not there.
func (s *apiServer) kubeconfig(t *testing.T, users map[string]string) string {
	t.Helper()
	text := "apiVersion: v1\nkind: Config\nclusters:\n- {name: gone, cluster: {server: 'https://127.0.0.1:1'}}\n- {name: here, cluster: {server: '" + s.url + "', certificate-authority-data: " + s.ca + "}}\ncontexts:\n- {name: gone, context: {cluster: gone, user: gone}}\n"
	accounts := "users:\n- {name: gone, user: {token: none}}\n"
	first := ""
	for name, token := range users {
		text += "- {name: " + name + ", context: {cluster: here, user: " + name + "}}\n"
		if token == "" {
			token = s.token
		}
		accounts += "- {name: " + name + ", user: {token: " + token + "}}\n"
		first = name
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte(text+accounts+"current-context: "+first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
