// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"testing"
	"time"
)

// TestCertificate: a Secret of type kubernetes.io/tls holds a certificate and its private key, PEM in base64 (Kubernetes' documentation of
// Secrets, "TLS Secrets"). A key of another certificate is found, and what cannot be read says nothing.
func TestCertificate(t *testing.T) {
	text := func(kind string, der []byte) string {
		return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	keys, texts := [2]*ecdsa.PrivateKey{}, [2]string{}
	for i := range keys {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		keys[i], texts[i] = key, text("PRIVATE KEY", der)
	}
	until := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"a.example.com"}, NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, keys[0].Public(), keys[0])
	if err != nil {
		t.Fatal(err)
	}
	own := text("CERTIFICATE", der)
	for name, test := range map[string]struct {
		certificate, key string
		read, keyed      bool
	}{
		"its key":         {own, texts[0], true, true},
		"key of another":  {own, texts[1], true, false},
		"no key":          {own, "", true, true},
		"key hidden":      {own, "Kioq", true, true},
		"no PEM":          {"Kioq", texts[0], false, false},
		"not base64":      {"***", texts[0], false, false},
		"no certificate":  {texts[0], texts[0], false, false},
		"damaged content": {text("CERTIFICATE", der[:40]), texts[0], false, false},
	} {
		got := certificate(map[string]any{"data": map[string]any{"tls.crt": test.certificate, "tls.key": test.key}})
		if !test.read {
			if len(got) > 0 {
				t.Errorf("%s: read %v", name, got)
			}
			continue
		}
		if got["keyed"] != test.keyed || got["until"] != until {
			t.Errorf("%s: got %v, want keyed %v until %v", name, got, test.keyed, until)
		}
	}
}

// TestCertificate_chain: of the certificates that come with the first, those of its issuers have to be valid as well, and that of its own
// is among them (RFC 8446, 4.4.2). A root is not asked for.
func TestCertificate_chain(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	year := func(n int) time.Time { return time.Date(n, 1, 1, 0, 0, 0, 0, time.UTC) }
	named := func(name string, until int) *x509.Certificate {
		return &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: year(until)}
	}
	made := func(c, issuer *x509.Certificate) []byte {
		der, err := x509.CreateCertificate(rand.Reader, c, issuer, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	}
	root, old, host := named("root", 2024), named("R3", 2025), named("host", 2030)
	first, second, last := made(host, old), made(old, root), made(root, root)
	for name, test := range map[string]struct {
		chain  [][]byte
		until  int
		issued bool
	}{
		"alone":            {[][]byte{first}, 2030, true},
		"with its issuer":  {[][]byte{first, second}, 2025, true},
		"with the root":    {[][]byte{first, second, last}, 2025, true},
		"in another order": {[][]byte{first, last, second}, 2025, true},
		"of another":       {[][]byte{first, last}, 2030, false},
		"of its own":       {[][]byte{last, second}, 2024, true},
	} {
		text := base64.StdEncoding.EncodeToString(bytes.Join(test.chain, nil))
		got := certificate(map[string]any{"data": map[string]any{"tls.crt": text}})
		if got["until"] != year(test.until) || got["issued"] != test.issued {
			t.Errorf("%s: got %v, want until %d, issued %v", name, got, test.until, test.issued)
		}
	}
}
