// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"net"
	"os"
	"time"

	"github.com/tristate/tristate/controller/internal/watchset"

	"k8s.io/client-go/rest"
)

// ProbeConnections makes the HTTP/2 connections of this process that do not answer any more, without having been closed, known as such
// after 6 seconds; the default of client-go is 45. A machine that is gone leaves such connections, and until then nothing is seen or
// written on them, also after the API server is back. Call it before the first client is made. It sets HTTP2_READ_IDLE_TIMEOUT_SECONDS and
// HTTP2_PING_TIMEOUT_SECONDS in the environment, which is the one way that client-go offers, and leaves one that is set as it is.
func ProbeConnections() {
	for _, name := range []string{"HTTP2_READ_IDLE_TIMEOUT_SECONDS", "HTTP2_PING_TIMEOUT_SECONDS"} {
		if _, set := os.LookupEnv(name); !set {
			_ = os.Setenv(name, "3") // fails for malformed names only
		}
	}
}

// dialSoon makes a configuration give up a new connection that is not accepted, or over which no first answer to the TLS handshake comes,
// after retryLimit. A configuration with a dialer or a transport of its own stays as it is.
func dialSoon(config *rest.Config) {
	if config.Dial != nil || config.Transport != nil {
		return
	}
	dialer := &net.Dialer{Timeout: watchset.RetryLimit, KeepAlive: 30 * time.Second}
	config.Dial = dialer.DialContext
	if !rest.IsConfigTransportTLS(*config) {
		return // the first answer may be that to a long list
	}
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if err := conn.SetReadDeadline(time.Now().Add(watchset.RetryLimit)); err != nil {
			_ = conn.Close()
			return nil, err
		}
		return &unanswered{Conn: conn}, nil
	}
}

// unanswered is a connection whose read deadline ends with the first answer.
type unanswered struct {
	net.Conn
	answered bool // only the one reader touches it
}

// Read implements net.Conn.
func (u *unanswered) Read(p []byte) (int, error) {
	n, err := u.Conn.Read(p)
	if n > 0 && !u.answered {
		u.answered = true
		if cleared := u.SetReadDeadline(time.Time{}); err == nil {
			err = cleared
		}
	}
	return n, err
}
