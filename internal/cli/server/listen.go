// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Listen opens an address. One that is not of the loopback interface is refused where open is true: then whoever reaches it sees
// everything.
func Listen(address string, open bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q: write host:port, as 127.0.0.1:0", address)
	}
	if open && !loopback(host) {
		return nil, fmt.Errorf("address %s is not of this machine alone: it needs a sign-in", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	return listener, nil
}

// TLS serves TLS on a listener, of version 1.2 or later, with the certificate and the key of two files, in PEM. They are read again when
// one of them has changed, as a controller renews them; if they cannot be read then, the former ones count. clients says whether a
// certificate of the client is asked for. On an error the listener is closed.
func TLS(listener net.Listener, certFile, keyFile string, clients tls.ClientAuthType) (net.Listener, error) {
	c := &certificate{files: [2]string{certFile, keyFile}}
	if _, err := c.get(nil); err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("certificate: %w", err)
	}
	return tls.NewListener(listener, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get, ClientAuth: clients}), nil
}

// OwnTLS serves TLS on a listener with a certificate that signs itself and lasts for ten years. It asks for the client's
// certificate.
func OwnTLS(listener net.Listener, now time.Time) (net.Listener, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	is := &x509.Certificate{SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "tristate"}, DNSNames: []string{"tristate"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(10, 0, 0), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, is, is, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	return tls.NewListener(listener, &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert,
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}), nil
}

// certificate is read from two files.
type certificate struct {
	files [2]string

	mu      sync.Mutex
	written [2]time.Time
	pair    *tls.Certificate
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var written [2]time.Time
	for i, name := range c.files {
		if info, err := os.Stat(name); err == nil {
			written[i] = info.ModTime()
		}
	}
	if c.pair != nil && written == c.written {
		return c.pair, nil
	}
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	switch {
	case err == nil:
		c.pair, c.written = &pair, written
	case c.pair == nil:
		return nil, err
	}
	return c.pair, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Run serves until the context ends. Streams end with it.
func Run(ctx context.Context, listener net.Listener, handler http.Handler) error {
	s := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		BaseContext:    func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := s.Shutdown(stop); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
