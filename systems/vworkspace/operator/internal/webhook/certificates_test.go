// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	crwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"
)

// cluster is a webhook configuration and a clock.
type cluster struct {
	client.Client
	ahead atomic.Int64
}

func newCluster(objects ...client.Object) *cluster {
	return &cluster{Client: fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(objects...).Build()}
}

func configuration(bundle []byte) *admissionv1.ValidatingWebhookConfiguration {
	return &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: Name}, Webhooks: []admissionv1.ValidatingWebhook{
		{Name: "a.example.com", ClientConfig: admissionv1.WebhookClientConfig{CABundle: bundle}}, {Name: "b.example.com"}}}
}

func (c *cluster) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// replica returns the certificates of a process.
func (c *cluster) replica() *Certificates {
	return &Certificates{Client: c.Client, Host: "127.0.0.1", Now: c.now}
}

func reconciled(t *testing.T, of *Certificates) time.Duration {
	t.Helper()
	result, err := of.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: Name}})
	if err != nil {
		t.Fatal(err)
	}
	return result.RequeueAfter
}

// authorities returns those of the first webhook.
func (c *cluster) authorities(t *testing.T) []*x509.Certificate {
	t.Helper()
	var stored admissionv1.ValidatingWebhookConfiguration
	if err := c.Get(t.Context(), client.ObjectKey{Name: Name}, &stored); err != nil {
		t.Fatal(err)
	}
	list, err := cert.ParseCertsPEM(stored.Webhooks[0].ClientConfig.CABundle)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// trusted verifies the certificate that a replica serves as an API server does, at the time of the clock.
func (c *cluster) trusted(t *testing.T, of *Certificates) error {
	t.Helper()
	options := tlsOf(t, of)
	served, err := options.GetCertificate(&tls.ClientHelloInfo{})
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(served.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	for _, a := range c.authorities(t) {
		roots.AddCert(a)
	}
	_, err = leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "127.0.0.1", CurrentTime: c.now()})
	return err
}

func tlsOf(t *testing.T, of *Certificates) *tls.Config {
	t.Helper()
	config := &tls.Config{}
	for _, option := range of.Server("", 1).(*crwebhook.DefaultServer).Options.TLSOpts {
		option(config)
	}
	return config
}

// TestCertificates_rotation: for four days of two replicas, at every moment each serves a certificate that the configuration trusts; the
// bundle stays small, and it is written only when an authority comes.
func TestCertificates_rotation(t *testing.T) {
	c := newCluster(configuration(nil))
	one, two := c.replica(), c.replica()
	next := map[*Certificates]time.Time{one: c.now(), two: c.now()}
	versions := map[string]bool{}
	rotations := map[string]bool{}
	for end := c.now().Add(4 * 24 * time.Hour); c.now().Before(end); {
		of := one
		if next[two].Before(next[one]) {
			of = two
		}
		if wait := next[of].Sub(c.now()); wait > 0 {
			c.ahead.Add(int64(wait))
		}
		next[of] = c.now().Add(reconciled(t, of))
		for _, replica := range []*Certificates{one, two} {
			if replica.current == nil {
				continue // it has not started
			}
			if err := c.trusted(t, replica); err != nil {
				t.Fatalf("after %s: %v", time.Duration(c.ahead.Load()), err)
			}
		}
		list := c.authorities(t)
		if len(list) > 8 {
			t.Fatalf("the bundle has %d authorities", len(list))
		}
		var stored admissionv1.ValidatingWebhookConfiguration
		if err := c.Get(t.Context(), client.ObjectKey{Name: Name}, &stored); err != nil {
			t.Fatal(err)
		}
		versions[stored.ResourceVersion] = true
		for _, a := range list {
			rotations[a.SerialNumber.String()] = true
		}
	}
	if len(rotations) < 10 { // two replicas, a certificate every 16 hours
		t.Errorf("%d authorities in four days", len(rotations))
	}
	if len(versions) > len(rotations)+1 {
		t.Errorf("%d writes for %d authorities", len(versions)-1, len(rotations))
	}
}

// TestCertificates_settle: a new certificate is served only after the API servers had time to see its authority.
func TestCertificates_settle(t *testing.T) {
	c := newCluster(configuration(nil))
	of := c.replica()
	reconciled(t, of)
	first := of.current
	c.ahead.Add(int64(Lifetime * 2 / 3))
	if wait := reconciled(t, of); of.current != first || of.next == nil || wait > Settle || wait < Settle/2 {
		t.Fatalf("it serves the new certificate at once, or does not look again in time: %s", wait)
	}
	if n := len(c.authorities(t)); n != 2 {
		t.Errorf("%d authorities, want the old and the new one", n)
	}
	c.ahead.Add(int64(Settle))
	if reconciled(t, of); of.current == first || of.next != nil {
		t.Error("it still serves the old certificate")
	}
}

// authority returns a certificate that signs others, valid for ten years.
func authority(t *testing.T) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a, err := cert.NewSelfSignedCACert(cert.Config{CommonName: "another"}, key)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestCertificates_bundle: a bundle that somebody overwrote is completed, authorities of others stay until they expire, and there is a
// limit.
func TestCertificates_bundle(t *testing.T) {
	stranger := authority(t)
	foreign, err := cert.EncodeCertificates(stranger)
	if err != nil {
		t.Fatal(err)
	}
	c := newCluster(configuration(foreign))
	of := c.replica()
	reconciled(t, of)
	has := func(a *x509.Certificate) bool {
		for _, have := range c.authorities(t) {
			if have.Equal(a) {
				return true
			}
		}
		return false
	}
	if !has(stranger) || !has(of.current.authority) {
		t.Error("the bundle does not have both authorities")
	}
	for name, text := range map[string][]byte{"emptied": nil, "no PEM": []byte("?"), "another authority": foreign} {
		var stored admissionv1.ValidatingWebhookConfiguration
		if err := c.Get(t.Context(), client.ObjectKey{Name: Name}, &stored); err != nil {
			t.Fatal(err)
		}
		stored.Webhooks[0].ClientConfig.CABundle = text
		if err := c.Update(t.Context(), &stored); err != nil {
			t.Fatal(err)
		}
		reconciled(t, of)
		if err := c.trusted(t, of); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var many []*x509.Certificate
	for range MaxAuthorities + 3 {
		many = append(many, authority(t))
	}
	for i := range many { // processes that came and went
		reconciled(t, &Certificates{Client: c.Client, Host: "127.0.0.1", Now: c.now,
			current: &certificate{authority: many[i], renew: c.now().Add(Lifetime)}})
	}
	reconciled(t, of)
	if n := len(c.authorities(t)); n > MaxAuthorities || !has(of.current.authority) {
		t.Errorf("%d authorities, at most %d wanted, and that of a process that runs", n, MaxAuthorities)
	}
	c.ahead.Add(int64(Lifetime + time.Second)) // those of many are valid for ten years
	fresh := c.replica()
	reconciled(t, fresh)
	if has(of.current.authority) || !has(fresh.current.authority) {
		t.Error("an authority that has expired is still in the bundle")
	}
}

// TestCertificates_ready: a process is ready once it is trusted, or where nobody has installed the webhook.
func TestCertificates_ready(t *testing.T) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	absent := newCluster().replica()
	reconciled(t, absent)
	if err := absent.Ready(r); err != nil {
		t.Errorf("without a configuration: %v", err)
	}
	of := newCluster(configuration(nil)).replica()
	if of.Ready(r) == nil {
		t.Error("it is ready before it is trusted")
	}
	reconciled(t, of)
	if err := of.Ready(r); err != nil {
		t.Error(err)
	}
}

// TestCertificates_Server: a client that trusts the bundle is answered.
func TestCertificates_Server(t *testing.T) {
	c := newCluster(configuration(nil))
	of := c.replica()
	reconciled(t, of)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{TLSConfig: tlsOf(t, of), ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusTeapot) })}
	go func() { _ = server.ServeTLS(socket, "", "") }() // ends with Close
	t.Cleanup(func() { server.Close() })
	roots := x509.NewCertPool()
	roots.AddCert(c.authorities(t)[0])
	trusting := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}}
	response, err := trusting.Get("https://" + socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusTeapot {
		t.Errorf("it answers %d", response.StatusCode)
	}
	other := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: x509.NewCertPool()}, DisableKeepAlives: true}}
	if response, err := other.Get("https://" + socket.Addr().String()); err == nil {
		response.Body.Close()
		t.Error("a client that does not trust the bundle was answered")
	}
}
