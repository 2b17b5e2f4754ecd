// SPDX-License-Identifier: Apache-2.0

package folder

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/keyutil"
)

func TestCredentials(t *testing.T) {
	f, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	made, err := f.Credentials(now)
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.Credentials(now.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made, again); diff != "" {
		t.Errorf("they must not change (-first +second):\n%s", diff)
	}
	if made.AdminToken == made.ManagerToken || len(made.AdminToken) < 20 {
		t.Errorf("tokens: want two that cannot be guessed, got %q and %q", made.AdminToken, made.ManagerToken)
	}

	pair, err := tls.LoadX509KeyPair(f.Join(ServingCert), f.Join(ServingKey))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(made.CA)
	for _, name := range []string{"127.0.0.1", "localhost", "kubernetes.default.svc"} {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: name, CurrentTime: now}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// As kube-apiserver and kube-controller-manager read it.
	if _, err := keyutil.PublicKeysFromFile(f.Join(AccountKey)); err != nil {
		t.Error(err)
	}
	if _, err := keyutil.PrivateKeyFromFile(f.Join(AccountKey)); err != nil {
		t.Error(err)
	}
	tokens, err := os.ReadFile(f.Join(TokenFile))
	if err != nil {
		t.Fatal(err)
	}
	want := made.AdminToken + `,localplane-admin,localplane-admin,"system:masters"` + "\n" +
		made.ManagerToken + `,system:kube-controller-manager,system:kube-controller-manager,"system:masters"` + "\n"
	if diff := cmp.Diff(want, string(tokens)); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
	err = filepath.WalkDir(f.Path, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if open := stat(t, path).Mode().Perm() & 0o077; open != 0 && path != f.Path {
			t.Errorf("%s is open to others: %o", path, open)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A start that was killed while making them makes them again.
func TestCredentialsAfterInterruption(t *testing.T) {
	f, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	half := f.Join(".new-" + credentials)
	if err := os.Mkdir(half, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(half, "ca.crt"), "half")
	got, err := f.Credentials(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(got.CA), "-----BEGIN CERTIFICATE-----") {
		t.Errorf("certificate: got %q", got.CA)
	}
}

func TestKubeconfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	data := RenderKubeconfig("https://127.0.0.1:40123", []byte("a certificate"), "secret")
	if err := WriteKubeconfig(path, data); err != nil {
		t.Fatal(err)
	}
	if mode := stat(t, path).Mode().Perm(); mode != 0o600 {
		t.Errorf("mode: want 0600, got %o", mode)
	}
	raw, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.NewDefaultClientConfig(*raw, nil).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"https://127.0.0.1:40123", "secret", "a certificate"}
	if diff := cmp.Diff(want, []string{cfg.Host, cfg.BearerToken, string(cfg.CAData)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	newer := RenderKubeconfig("https://127.0.0.1:40124", nil, "")
	if err := WriteKubeconfig(path, newer); err != nil {
		t.Errorf("replace one of ours: %v", err)
	}
	if err := RemoveKubeconfig(path, data); err != nil {
		t.Error(err)
	}
	if stat(t, path).Size() == 0 {
		t.Error("a newer kubeconfig was removed")
	}
	if err := RemoveKubeconfig(path, newer); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("after removal: %v", err)
	}
}

func TestKubeconfigOfSomebodyElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, "apiVersion: v1\nkind: Config\n")
	err := WriteKubeconfig(path, RenderKubeconfig("https://127.0.0.1:1", nil, ""))
	if err == nil || !strings.Contains(err.Error(), "was not written by localplane; name another file") {
		t.Errorf("want a refusal, got %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "apiVersion: v1\nkind: Config\n" {
		t.Errorf("it was changed: %q", data)
	}
}
