// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// Slow makes the client of a controller under test slow where the environment has TRISTATE_SLOW, a duration: it gets the answer to each
// write, but of a lease, and what it watches, a random time later, at most that long, when everyone else has seen it. A test that waits for
// one fact and asserts another one, which is written at another moment, then fails most of the time, and not once in a hundred runs.
func Slow(config *rest.Config) { slowed(config, envSlow) }

// SlowTest is [Slow] for the client of the test itself, with TRISTATE_SLOW_TEST: the controller then has seen one object long before
// the test creates the next. A test that creates several, and asserts what a controller does that sees all of them, then fails most of the
// time.
func SlowTest(config *rest.Config) { slowed(config, envSlowTest) }

// OfTest returns a copy of a configuration for the client of the test itself: see [SlowTest].
func OfTest(config *rest.Config) *rest.Config {
	own := rest.CopyConfig(config)
	SlowTest(own)
	return own
}

// SlowServer is [Slow] for a command that is started with a kubeconfig: it returns the configuration of a proxy, until the test ends. The
// proxy has the credentials, which a command sends to no server without TLS. Without TRISTATE_SLOW, and for a server without TLS, such as
// another proxy, it returns config.
func SlowServer(t testing.TB, config *rest.Config) *rest.Config {
	t.Helper()
	if os.Getenv(envSlow) == "" || strings.HasPrefix(config.Host, "http:") {
		return config
	}
	own := rest.CopyConfig(config)
	Slow(own)
	server, err := Proxy(own)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return &rest.Config{Host: server.URL}
}

// Proxy starts a server that passes requests on to the API server of a configuration, with its transport.
func Proxy(config *rest.Config) (*httptest.Server, error) {
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	to, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	return httptest.NewServer(&httputil.ReverseProxy{Transport: transport, FlushInterval: -1,
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ErrorLog: log.New(io.Discard, "", 0)}), nil // of a client that is killed
}

func slowed(config *rest.Config, variable string) {
	most, err := time.ParseDuration(os.Getenv(variable))
	if err != nil || most <= 0 {
		return
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return slow{next, most} })
}

type slow struct {
	next http.RoundTripper
	most time.Duration
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := s.next.RoundTrip(r)
	switch {
	case strings.Contains(r.URL.Path, "/leases"):
	case r.Method != http.MethodGet:
		time.Sleep(rand.N(s.most))
	case err == nil && r.URL.Query().Get("watch") != "":
		response.Body = &late{ReadCloser: response.Body, most: s.most}
	}
	return response, err
}

// late is a body that is read later than it came: all of it that is there, so that what comes often is late and not ever later.
type late struct {
	io.ReadCloser
	most   time.Duration
	buffer [64 << 10]byte
	rest   []byte // of buffer, not passed on yet
}

func (l *late) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		n, err := l.ReadCloser.Read(l.buffer[:])
		time.Sleep(rand.N(l.most))
		if n == 0 {
			return 0, err
		}
		l.rest = l.buffer[:n] // an error comes again
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
