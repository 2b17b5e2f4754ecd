// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"sync"
	"time"
)

// listener serves TLS with a certificate of its own authority, and can stop and come back at the same address.
type listener struct {
	handler http.Handler
	ca      []byte // PEM
	good    tls.Certificate
	bad     tls.Certificate // of another authority
	clients *x509.CertPool  // nil: no client certificate is asked for

	mu      sync.Mutex
	address string
	server  *http.Server
	socket  net.Listener
	gone    chan struct{} // closed when it goes down
	wrong   bool
}

func newListener(h http.Handler) (*listener, error) {
	ca, good, err := certificates()
	if err != nil {
		return nil, err
	}
	_, bad, err := certificates()
	if err != nil {
		return nil, err
	}
	gone := make(chan struct{})
	close(gone)
	return &listener{handler: h, ca: ca, good: good, bad: bad, gone: gone}, nil
}

func (l *listener) down() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone
}

// Up listens at an address; the empty one is that of before.
func (s *Server) Up(address string) error {
	l := s.tls
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server != nil {
		return errors.New("it listens already")
	}
	if address == "" {
		address = l.address
	}
	socket, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	l.address, l.gone = socket.Addr().String(), make(chan struct{})
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.wrong {
			return &l.bad, nil
		}
		return &l.good, nil
	}}
	if l.clients != nil {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, l.clients
	}
	l.server = &http.Server{Handler: l.handler, TLSConfig: config, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	l.socket = socket
	server := l.server
	go func() { _ = server.ServeTLS(socket, "", "") }() // ends with Down
	return nil
}

// Down stops listening and cuts all connections.
func (s *Server) Down() {
	l := s.tls
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server != nil {
		close(l.gone)
		_ = l.server.Close()
		_ = l.socket.Close() // the server may not have accepted it yet
		l.server = nil
	}
}

// Untrusted serves new connections with a certificate of another authority. It cuts the open ones.
func (s *Server) Untrusted(on bool) error {
	s.tls.mu.Lock()
	s.tls.wrong = on
	s.tls.mu.Unlock()
	s.Down()
	return s.Up("")
}

// URL returns the endpoint of the last [Server.Up].
func (s *Server) URL() string {
	s.tls.mu.Lock()
	defer s.tls.mu.Unlock()
	return "https://" + s.tls.address
}

// CA returns the authority of the certificate as PEM.
func (s *Server) CA() []byte { return s.tls.ca }

// certificates makes an authority and a certificate for this machine's loopback addresses.
func certificates() (ca []byte, leaf tls.Certificate, err error) {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, leaf, err
	}
	now := time.Now()
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "vworkspace-controlplane"},
		NotBefore: now.Add(-time.Hour),
		NotAfter:  now.AddDate(1, 0, 0), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, authority, authority, caKey.Public(), caKey)
	if err != nil {
		return nil, leaf, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, leaf, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.AddDate(1, 0, 0),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	signed, err := x509.CreateCertificate(rand.Reader, template, authority, key.Public(), caKey)
	if err != nil {
		return nil, leaf, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key},
		nil
}
