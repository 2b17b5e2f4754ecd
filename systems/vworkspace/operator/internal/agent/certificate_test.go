// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
)

// clientCertificate returns a certificate that is its own authority, with its key, as PEM.
func clientCertificate(t *testing.T) (certificate *x509.Certificate, chain, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "edge"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	if certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	data, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: data})
}

// TestCertificate: a control plane that wants a client certificate gets it; without it authentication fails, and one that is added later is
// used.
func TestCertificate(t *testing.T) {
	b := newBench(t)
	certificate, chain, key := clientCertificate(t)
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
	plane, err := controlplane.New(controlplane.Options{BootstrapToken: token, Now: func() time.Time { return b.now }, Clients: pool})
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.Up("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Down)
	b.plane, b.memory.ca, b.config.Endpoint = plane, plane.CA(), plane.URL()
	b.Configure(b.config, false)
	// With TLS 1.3 the refusal comes after the handshake, and a reset of the connection may overtake it: then the agent tries again.
	for range 100 {
		if b.until(t, b.now.Add(time.Minute)); b.View().Link.Auth == agent.AuthFailed {
			break
		}
	}
	if l := b.View().Link; l.Auth != agent.AuthFailed || l.Error == "" {
		t.Errorf("without a certificate: %+v", l)
	}
	b.config.Certificate = "client"
	b.Configure(b.config, false)
	b.until(t, b.now.Add(time.Minute))
	if l := b.View().Link; l.Auth != agent.AuthFailed || l.AuthError != "the client certificate and its key cannot be read" {
		t.Errorf("with another Secret: %+v", l)
	}
	b.memory.mu.Lock()
	b.memory.files = map[string][]byte{"tls.crt": chain, "tls.key": key}
	b.memory.mu.Unlock()
	b.until(t, b.now.Add(5*time.Minute))
	if l := b.View().Link; !l.OK() || !l.Beat {
		t.Errorf("with the certificate: %+v", l)
	}
}

// TestHeartbeat: a heartbeat reports against the Cluster, with its conditions.
func TestHeartbeat(t *testing.T) {
	b := newBench(t)
	b.Report(agent.ResourceRef{APIVersion: "ops.vworkspace.io/v1alpha1", Kind: "Cluster", Name: "edge", UID: "u"},
		[]agent.Condition{{Type: "Connected", Status: "True", Reason: "RoundTripOK"}})
	b.until(t, b.now.Add(time.Minute))
	e := b.plane.Heartbeat()
	if e.Kind != agent.ClusterHeartbeat || e.ResourceRef == nil || e.ResourceRef.UID != "u" || len(e.Conditions) != 1 ||
		e.Conditions[0].Reason != "RoundTripOK" {
		t.Errorf("heartbeat %+v", e)
	}
}
