// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/plane/kubelet"
	authenticationv1 "k8s.io/api/authentication/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Process is an operator that runs as a process of its own.
type Process struct {
	Health string // address that it was given with --health-address

	metrics func() (string, error)
	command *exec.Cmd
	ended   chan struct{}
}

// Kubeconfig writes a kubeconfig with a token of the operator's account, and returns the token as well. With
// TRISTATE_SLOW it leads through a proxy that is slow.
func (w *World) Kubeconfig(t *testing.T) (file, token string) {
	t.Helper()
	request := &authenticationv1.TokenRequest{}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.account}}
	if err := w.API.SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	config := clientcmdapi.NewConfig()
	server := rest.AnonymousClientConfig(w.Config)
	server.BearerToken = request.Status.Token
	server = plane.SlowServer(t, server)
	config.Clusters["world"] = &clientcmdapi.Cluster{Server: server.Host, CertificateAuthorityData: server.CAData,
		CertificateAuthority: server.CAFile}
	config.AuthInfos["operator"] = &clientcmdapi.AuthInfo{Token: request.Status.Token}
	config.Contexts["world"] = &clientcmdapi.Context{Cluster: "world", AuthInfo: "operator"}
	config.CurrentContext = "world"
	file = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	return file, request.Status.Token
}

// Run starts the test binary as a program ([kubelet.Program]) with the permissions of the account and the arguments that the manifest gives
// to its container, then others. Its standard error goes to log. It is killed when the test ends.
func (w *World) Run(t *testing.T, program string, log io.Writer, env []string, args ...string) *Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig, _ := w.Kubeconfig(t)
	metrics := Free(t)
	p := &Process{Health: Free(t), metrics: w.reader(t, metrics), ended: make(chan struct{})}
	p.command = exec.Command(self, append(slices.Concat(w.args, args), "--health-address="+p.Health, "--metrics-address="+metrics)...)
	p.command.Env = append(append(os.Environ(), kubelet.Program+"="+program, "KUBECONFIG="+kubeconfig), env...)
	p.command.Stderr = log
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.command.Wait() // it is killed, or its log has the reason
	}()
	t.Cleanup(p.Kill)
	return p
}

// reader returns a function that reads the metrics at an address as an account with the role for that, by which the manifest protects them.
// Without a token, and with one that may not, they are refused.
func (w *World) reader(t *testing.T, address string) func() (string, error) {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, GenerateName: "reader-"}}
	w.Create(t, account)
	role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: w.account + "-metrics-reader"}
	w.Create(t, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: account.Name}, RoleRef: role,
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.Namespace, Name: account.Name}}})
	may, mayNot := &authenticationv1.TokenRequest{}, &authenticationv1.TokenRequest{}
	for name, request := range map[string]*authenticationv1.TokenRequest{account.Name: may, "default": mayNot} {
		of := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}}
		Eventually(t, func() error { return w.API.SubResource("token").Create(t.Context(), of, request) })
	}
	ask := func(token string) (status int, body string, err error) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/metrics", nil)
		if err != nil {
			return 0, "", err
		}
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
		response, err := client.Do(request)
		if err != nil {
			return 0, "", err
		}
		defer response.Body.Close()
		data, err := io.ReadAll(response.Body)
		return response.StatusCode, string(data), err
	}
	return func() (string, error) {
		for token, want := range map[string]int{"": http.StatusUnauthorized, mayNot.Status.Token: http.StatusForbidden} {
			if status, _, err := ask(token); err != nil || status != want {
				return "", fmt.Errorf("the metrics answer %d, want %d: %w", status, want, err)
			}
		}
		status, text, err := ask(may.Status.Token)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("the metrics answer %d: %s", status, text)
		}
		return text, err
	}
}

// Kill ends the process without warning.
func (p *Process) Kill() {
	_ = p.command.Process.Kill() // it may have ended
	<-p.ended
}

// Expire shortens the lease of an operator that was killed from 15 s to one: another one takes over.
func (w *World) Expire(t *testing.T, lease string) {
	t.Helper()
	Edit(t, w, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: lease}},
		func(l *coordinationv1.Lease) { l.Spec.LeaseDurationSeconds = ptr.To[int32](1) })
}

// Ended reports whether the process has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Measured waits until a process reports lines that begin with each of some texts, with a value above zero or the given one.
func (p *Process) Measured(t *testing.T, lines ...string) {
	t.Helper()
	Eventually(t, func() error {
		text, err := p.metrics()
		if err != nil {
			return err
		}
		var errs []error
		for _, line := range lines {
			at := strings.Index(text, "\n"+line)
			if at < 0 || strings.HasPrefix(text[at+1+len(line):], " 0\n") {
				errs = append(errs, fmt.Errorf("the metrics have no %s", line))
			}
		}
		return errors.Join(errs...)
	})
}

// Get returns the body of an address below http://; the status has to be 200.
func Get(ctx context.Context, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %d", address, response.StatusCode)
	}
	return string(body), err
}

// Free returns an address at which a program will listen; see [plane.Free].
func Free(t *testing.T) string {
	t.Helper()
	address, err := plane.Free()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// Leaks returns where one of the Secrets that are stored now appears: in a status that was ever stored, in an event, or in a text such as a
// log. Secrets of deleted namespaces are no longer known, so it has to be called before they go.
func (w *World) Leaks(t *testing.T, texts map[string]string) (found []string) {
	t.Helper()
	var secrets corev1.SecretList
	if err := w.API.List(t.Context(), &secrets); err != nil {
		t.Fatal(err)
	}
	var events corev1.EventList
	if err := w.API.List(t.Context(), &events); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range events.Items {
		fmt.Fprintln(&b, e.Reason, e.Message, e.Annotations)
	}
	all := map[string]string{"an event": b.String(), "a status": w.Seen.Text()}
	for name, text := range texts {
		all[name] = text
	}
	values := 0
	for _, s := range secrets.Items {
		for key, value := range s.Data {
			if len(value) < 16 { // not a secret by itself
				continue
			}
			values++
			for name, text := range all {
				for line := range strings.Lines(string(value)) {
					if line = strings.TrimSpace(line); len(line) >= 16 && !strings.HasPrefix(line, "-----") && strings.Contains(text, line) {
						found = append(found, fmt.Sprintf("%s of Secret %s is in %s", key, client.ObjectKeyFromObject(&s), name))
					}
				}
			}
		}
	}
	if values == 0 {
		t.Error("there is no Secret that could leak")
	}
	return found
}
