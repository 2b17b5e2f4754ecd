// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"io"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"
)

// Under returns a copy of a configuration whose requests end when ctx does: the clients for discovery take no context.
func Under(ctx context.Context, config *rest.Config) *rest.Config {
	out := rest.CopyConfig(config)
	out.Wrap(func(next http.RoundTripper) http.RoundTripper { return &bound{ctx, next} })
	return out
}

// bound ends requests with a context besides their own.
type bound struct {
	ctx  context.Context
	next http.RoundTripper
}

// RoundTrip is a method of http.RoundTripper.
func (b *bound) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := context.Cause(b.ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	stop := context.AfterFunc(b.ctx, func() { cancel(context.Cause(b.ctx)) })
	release := sync.OnceFunc(func() {
		stop()
		cancel(nil)
	})
	response, err := b.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		if cause := context.Cause(b.ctx); cause != nil {
			err = cause
		}
		release()
		return nil, err
	}
	response.Body = &boundBody{response.Body, release}
	return response, nil
}

// WrappedRoundTripper lets client-go find the transport below.
func (b *bound) WrappedRoundTripper() http.RoundTripper { return b.next }

// boundBody releases what binds a request when its answer has been read.
type boundBody struct {
	io.ReadCloser
	release func()
}

// Close is a method of io.Closer.
func (b *boundBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
