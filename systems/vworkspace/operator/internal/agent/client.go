// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Limits of the client.
const (
	Timeout  = 10 * time.Second // of a request, besides the time that a long poll waits
	MaxBody  = 4 << 20          // bytes of an answer
	maxRetry = time.Hour        // of Retry-After
)

// Client speaks the protocol.
type Client struct {
	http     *http.Client
	endpoint string
}

// pair is a client certificate with its key, as PEM.
type pair struct{ chain, key []byte }

// newClient returns a client for an HTTPS endpoint. ca has further authorities as PEM; empty: those of the system.
func newClient(endpoint string, ca []byte, certificate pair) (*Client, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, errors.New("the endpoint is not an https URL")
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(ca) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(ca) {
			return nil, errors.New("the authorities of the control plane have no certificate")
		}
	}
	if len(certificate.key) > 0 {
		c, err := tls.X509KeyPair(certificate.chain, certificate.key)
		if err != nil {
			return nil, errors.New("the client certificate and its key cannot be read")
		}
		config.Certificates = []tls.Certificate{c}
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2,
		IdleConnTimeout: time.Minute, TLSHandshakeTimeout: Timeout}
	return &Client{endpoint: strings.TrimSuffix(endpoint, "/"), http: &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil // a bearer token follows no redirect
}

// Close ends the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// StatusError is a refusal.
type StatusError struct {
	Code       int
	Problem    string        // the error code of the body; empty: none
	RetryAfter time.Duration // 0: none
}

// Error returns "the control plane answered 503 (busy)".
func (e *StatusError) Error() string {
	if e.Problem == "" {
		return fmt.Sprintf("the control plane answered %d", e.Code)
	}
	return fmt.Sprintf("the control plane answered %d (%s)", e.Code, e.Problem)
}

// rejected reports whether the control plane does not accept the credential.
func rejected(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && (status.Code == http.StatusUnauthorized || status.Code == http.StatusForbidden)
}

// errMalformed is an answer that violates the protocol.
var errMalformed = errors.New("the answer of the control plane is malformed")

// NetworkError is a request that got no answer. Its text does not change from one attempt to the next.
type NetworkError struct{ Text string }

// Error returns the cause without addresses and times.
func (e *NetworkError) Error() string { return e.Text }

// Call sends a request; in and out may be nil. Other errors than [StatusError] and errMalformed are a [NetworkError].
func (c *Client) Call(ctx context.Context, method, path, token string, wait time.Duration, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout+wait)
	defer cancel()
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode: %w", err)
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.endpoint+path, body)
	if err != nil {
		return &NetworkError{"the request cannot be made"}
	}
	if in != nil {
		request.Header.Set("Content-Type", MediaType)
	}
	request.Header.Set("Accept", MediaType)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return &NetworkError{describe(err)}
	}
	defer response.Body.Close()
	if jobs, ok := out.(*Jobs); ok && response.StatusCode == http.StatusOK && !foreign(response) {
		if err := jobs.read(response.Body); err != nil && ctx.Err() == nil {
			return errMalformed
		} else if err != nil {
			return &NetworkError{describe(ctx.Err())}
		}
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, MaxBody+1))
	switch {
	case err != nil:
		return &NetworkError{describe(err)}
	case foreign(response):
		return &NetworkError{"something else than the control plane answered"}
	case response.StatusCode < 200 || response.StatusCode > 299:
		return refusal(response, data)
	case len(data) > MaxBody:
		return errMalformed
		// the answer of something else than the control plane: the events were not accepted
	case out == nil && response.StatusCode != http.StatusNoContent:
		return errMalformed
	case out == nil || response.StatusCode == http.StatusNoContent:
		return nil
	case json.Unmarshal(data, out) != nil:
		return errMalformed
	}
	return nil
}

// foreign reports whether an answer is not the control plane's: a redirection, the answer of a network that wants a login (RFC 6585), or a
// success in HTML, as captive portals give it.
func foreign(response *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")) // one that cannot be parsed is none
	return response.StatusCode >= 300 && response.StatusCode <= 399 || response.StatusCode == http.StatusNetworkAuthenticationRequired ||
		response.StatusCode <= 299 && (kind == "text/html" || kind == "application/xhtml+xml")
}

var problemForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

func refusal(response *http.Response, body []byte) *StatusError {
	e := &StatusError{Code: response.StatusCode}
	var problem Problem
	if json.Unmarshal(body, &problem) == nil && problemForm.MatchString(problem.Error) {
		e.Problem = problem.Error // the message may repeat the request
	}
	if text := response.Header.Get("Retry-After"); text != "" {
		if seconds, err := strconv.ParseInt(text, 10, 32); err == nil && seconds > 0 {
			e.RetryAfter = min(time.Duration(seconds)*time.Second, maxRetry)
		} else if at, err := http.ParseTime(text); err == nil {
			e.RetryAfter = min(max(time.Until(at), 0), maxRetry)
		}
	}
	return e
}

// describe returns the cause of a failed request, in words that are the same each time.
func describe(err error) string {
	var (
		invalid   x509.CertificateInvalidError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		dns       *net.DNSError
		remote    *net.OpError
		number    syscall.Errno
	)
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of the control plane has expired or is not valid yet"
	case errors.As(err, &invalid):
		return "the certificate of the control plane is not valid"
	case errors.As(err, &authority):
		return "the certificate of the control plane is signed by an unknown authority"
	case errors.As(err, &hostname):
		return "the certificate of the control plane is for another name"
	case errors.As(err, &remote) && remote.Op == "remote error": // an alert of TLS
		return refusedTLS + strings.TrimPrefix(remote.Err.Error(), "tls: ")
	case errors.As(err, &dns):
		return "the name of the control plane cannot be resolved"
	case errors.Is(err, context.DeadlineExceeded):
		return "the control plane did not answer in time"
	case errors.As(err, &number):
		return number.Error() // connection refused, no route to host
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return "the connection was closed"
	}
	return "the connection failed"
}

const refusedTLS = "the control plane refused the TLS connection: "

// refusedByTLS reports whether the other side refused this side's certificate.
func refusedByTLS(err error) bool {
	var network *NetworkError
	return errors.As(err, &network) && strings.HasPrefix(network.Text, refusedTLS) && strings.Contains(network.Text, "certificate")
}
