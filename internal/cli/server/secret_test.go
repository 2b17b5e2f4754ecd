// SPDX-License-Identifier: Apache-2.0

package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/fleet/rows"
)

// A secret that a person chose has at least 16 bytes, whatever it is for.
func TestSecret(t *testing.T) {
	for text, taken := range map[string]bool{"": false, "a": false, "fifteen-bytes-x": false, "sixteen-bytes-xx": true,
		"sixteen bytes xx": false, "sixteen-bytes-x\n": false} {
		if _, err := Secret(text); (err == nil) != taken {
			t.Errorf("secret %q: %v, want taken %v", text, err, taken)
		}
	}
}

// A name that another site points at this server is refused on every path that says something of the cluster, also without a sign-in.
func TestRebinding(t *testing.T) {
	fleet := rows.New(time.Now)
	for name, o := range map[string]Options{"no sign-in": {Auth: Open{}}, "metrics for everyone": {Auth: Token("sixteen-bytes-xx"),
		MetricsAuth: func(*http.Request) error { return nil }}} {
		o.Fleet, o.Metrics = fleet, metricsHandler(NewMetrics(fleet, 10))
		handler := New(o)
		for path, want := range map[string]int{"/metrics": 403, "/api/v1/objects": 403, "/": 403, "/healthz": 200, "/readyz": 200} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = "evil.example:8080"
			w := httptest.NewRecorder()
			if handler.ServeHTTP(w, r); w.Code != want {
				t.Errorf("%s, %s by a foreign name: %d, want %d", name, path, w.Code, want)
			}
			r.Host = "10.1.2.3:8080"
			w = httptest.NewRecorder()
			if handler.ServeHTTP(w, r); path == "/metrics" && w.Code != http.StatusOK {
				t.Errorf("%s, %s by the address of a pod: %d", name, path, w.Code)
			}
		}
	}
}

// One reader cannot take the streams of the others.
func TestStreams_ofOne(t *testing.T) {
	s := New(Options{Fleet: rows.New(time.Now), Auth: Open{}})
	greedy := Reader{Rights: rows.Rights{Key: "greedy"}}
	taken := 0
	for s.begin(greedy) {
		taken++
	}
	if other := (Reader{Rights: rows.Rights{Key: "other"}}); taken > mostStreams/2 || !s.begin(other) {
		t.Errorf("after %d streams of one reader another has none", taken)
	}
	if s.end(greedy); !s.begin(greedy) {
		t.Error("a stream that ended still counts")
	}
}

// Behind a proxy that ends TLS, and with TLS of its own, the cookie is for TLS alone.
func TestCookie_secure(t *testing.T) {
	s := New(Options{Fleet: rows.New(time.Now), Auth: Token("sixteen-bytes-xx")})
	for proto, want := range map[string]bool{"": false, "http": false, "https": true} {
		r := httptest.NewRequest(http.MethodGet, "/?token=sixteen-bytes-xx", nil)
		r.Host = "localhost"
		r.Header.Set("X-Forwarded-Proto", proto)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if cookies := w.Result().Cookies(); len(cookies) != 1 || cookies[0].Secure != want {
			t.Errorf("X-Forwarded-Proto %q: cookies are %v, want secure %v", proto, cookies, want)
		}
	}
}

// pair writes a certificate for a name, with its key, into two files.
func pair(t *testing.T, folder, name string, written time.Time) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: noon, NotAfter: noon.AddDate(100, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	data, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("tls.crt", "CERTIFICATE", der), write("tls.key", "PRIVATE KEY", data)
}

// A certificate that is renewed in its files is served from then on; files that cannot be read are an error at the start.
func TestTLS(t *testing.T) {
	listen := func() net.Listener {
		t.Helper()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	folder := t.TempDir()
	if _, err := TLS(listen(), filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"), tls.NoClientCert); err == nil {
		t.Error("missing files are no error")
	}
	cert, key := pair(t, folder, "one.example", noon)
	l, err := TLS(listen(), cert, key, tls.NoClientCert)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: New(Options{Fleet: rows.New(time.Now), Auth: Open{}}), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	for i, want := range []string{"one.example", "two.example"} {
		pair(t, folder, want, noon.Add(time.Duration(i)*time.Hour))
		conn, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := conn.ConnectionState().PeerCertificates[0].DNSNames[0]; got != want {
			t.Errorf("the certificate is of %s, want %s", got, want)
		}
		_ = conn.Close()
	}
}
