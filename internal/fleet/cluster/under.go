// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// headerTimeout is the default time within which an answer has to begin: an API server itself ends a request after a minute.
const headerTimeout = 75 * time.Second

// errNoAnswer ends a request that takes too long. It is no net.Error, for client-go treats a watch that times out as one without events.
var errNoAnswer = errors.New("no answer in time")

// Under returns a copy of a configuration whose requests end when ctx does: the clients for discovery take no context. Its Timeout holds
// for each request as a whole, and for the beginning of a watch.
func Under(ctx context.Context, config *rest.Config) *rest.Config {
	out := rest.CopyConfig(config)
	out.Timeout = 0
	out.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &bound{ctx: ctx, timeout: config.Timeout, next: next}
	})
	return out
}

// bound is a transport that ends requests with a further context, and when they take too long.
type bound struct {
	ctx     context.Context
	timeout time.Duration // 0: headerTimeout, for the beginning of an answer only
	next    http.RoundTripper
	closed  atomic.Int32 // how many connections in a row were closed without an answer
}

// maxClosed is how many connections in a row may be closed without an answer before client-go does not try again at once, which it would do
// for half a minute.
const maxClosed = 3

// RoundTrip is a method of http.RoundTripper.
func (b *bound) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := context.Cause(b.ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	stop := context.AfterFunc(b.ctx, func() { cancel(context.Cause(b.ctx)) })
	limit, whole := b.timeout, r.URL.Query().Get("watch") == ""
	if limit == 0 {
		limit, whole = headerTimeout, false
	}
	late := time.AfterFunc(limit, func() { cancel(errNoAnswer) })
	release := sync.OnceFunc(func() {
		stop()
		late.Stop()
		cancel(nil)
	})
	response, err := b.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		err = causeOf(ctx, err)
		release()
		if utilnet.IsProbableEOF(err) && b.closed.Add(1) >= maxClosed {
			err = fmt.Errorf("the connection was closed without an answer: %s", err)
		}
		return nil, err
	}
	b.closed.Store(0)
	if !whole {
		late.Stop()
	}
	body := &boundBody{ReadCloser: response.Body, ctx: ctx, release: release}
	body.lost, _ = r.Context().Value(lostKey{}).(func(error))
	response.Body = body
	return response, nil
}

// causeOf returns the cause of the end of a context if that is why a request failed; otherwise the error.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, io.EOF) {
		return cause
	}
	return err
}

// WrappedRoundTripper lets client-go find the transport below.
func (b *bound) WrappedRoundTripper() http.RoundTripper { return b.next }

// boundBody releases what binds a request when its answer has been read.
type boundBody struct {
	io.ReadCloser
	ctx     context.Context
	release func()
	lost    func(error) // is called when the connection does not answer any more; nil: nothing is
}

// lostKey is the key of a function in the context of a request that is called when the connection does not answer pings any more while the
// answer comes in, as that of a watch: the server is frozen or gone, and the next request may hang. A connection that is closed is noticed
// by that request.
type lostKey struct{}

// Read is a method of io.Reader.
func (b *boundBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		if b.lost != nil && b.ctx.Err() == nil && strings.Contains(err.Error(), "http2: client connection lost") {
			b.lost(err)
		}
		err = causeOf(b.ctx, err)
	}
	return n, err
}

// Close is a method of io.Closer.
func (b *boundBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
