// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/proof/plane"
	"k8s.io/client-go/rest"
)

// proxy forwards connections to a server, usually the API server, until it is cut.
type proxy struct {
	*testing.T
	server  string
	address string

	mu       sync.Mutex
	listener net.Listener // nil: cut
	state    int
	open     map[net.Conn]bool
}

// What a proxy does.
const (
	forwards int = iota
	isCut        // nothing listens, and every connection is closed
	isSilent     // connections are taken and kept, and nothing is ever answered on them
)

// newProxy starts a proxy in front of a server with a URL; it is closed at the end of the test.
func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{T: t, server: to.Host, address: plane.Address(t), state: isCut, open: map[net.Conn]bool{}}
	p.mend()
	t.Cleanup(p.cut)
	return p
}

// through makes a controller use the proxy.
func (p *proxy) through(o *controller.Options) {
	o.Config = rest.CopyConfig(o.Config)
	o.Config.Host = "https://" + p.address
}

// cut closes every connection and refuses new ones.
func (p *proxy) cut() { p.end(isCut) }

// silence answers nothing any more, on no connection that is open or that comes.
func (p *proxy) silence() { p.end(isSilent) }

func (p *proxy) end(state int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = state
	if state == isCut && p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
		for conn := range p.open {
			_ = conn.Close()
		}
		clear(p.open)
	}
}

// mend lets new connections through. Those that came before stay as they are.
func (p *proxy) mend() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = forwards
	if p.listener != nil {
		return
	}
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		p.Fatal(err)
	}
	p.listener = listener
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
}

// enter notes a connection, and reports whether it is forwarded. A connection is closed by cut, or by who serves it.
func (p *proxy) enter(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == isCut {
		_ = conn.Close()
		return false
	}
	p.open[conn] = true
	return p.state == forwards
}

func (p *proxy) serve(client net.Conn) {
	if !p.enter(client) {
		return
	}
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		_ = client.Close()
		return
	}
	defer server.Close()
	done := make(chan struct{}, 2)
	pass := func(to, from net.Conn) {
		defer func() { done <- struct{}{} }()
		buffer := make([]byte, 32<<10)
		for {
			n, err := from.Read(buffer)
			if !p.forwarding() { // what comes on it from now on is swallowed, until the connection is closed
				_, _ = io.Copy(io.Discard, from)
				return
			}
			if n > 0 {
				if _, err := to.Write(buffer[:n]); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
	go pass(server, client)
	go pass(client, server)
	<-done
	p.mu.Lock()
	delete(p.open, client)
	p.mu.Unlock()
	_ = client.Close()
}

func (p *proxy) forwarding() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state == forwards
}
