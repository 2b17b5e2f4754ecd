// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"encoding/json"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world/clitest"

	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/tristate/tristate/proof/plane"
	"k8s.io/client-go/rest"
)

// proxy is between a command and its API server. It can refuse connections, as a server that is down does, and freeze them, as a network
// that loses every packet.
type proxy struct {
	t      *testing.T
	listen net.Listener
	server string

	mu     sync.Mutex
	closed bool
	frozen bool
	conns  map[net.Conn]bool
}

// behind returns a configuration that goes through a new proxy.
func behind(t *testing.T, config *rest.Config) (*rest.Config, *proxy) {
	t.Helper()
	u, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, server: u.Host, conns: map[net.Conn]bool{}}
	p.open(plane.Address(t))
	t.Cleanup(p.cut)
	out := rest.CopyConfig(config)
	u.Host = p.listen.Addr().String()
	out.Host = u.String()
	return out, p
}

// open accepts connections.
func (p *proxy) open(address string) {
	p.t.Helper()
	listen, err := net.Listen("tcp", address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	p.listen, p.closed = listen, false
	p.mu.Unlock()
	go func() {
		for {
			conn, err := listen.Accept()
			if err != nil {
				return
			}
			go p.join(conn)
		}
	}()
}

func (p *proxy) join(conn net.Conn) {
	up, err := net.Dial("tcp", p.server)
	if err != nil {
		conn.Close()
		return
	}
	p.mu.Lock()
	p.conns[conn], p.conns[up] = true, true
	if p.closed {
		conn.Close()
		up.Close()
	}
	p.mu.Unlock()
	carry := func(to, from net.Conn) {
		defer to.Close()
		defer from.Close()
		b := make([]byte, 1<<16)
		for {
			n, err := from.Read(b)
			p.mu.Lock()
			lost := p.frozen
			p.mu.Unlock()
			if !lost && n > 0 {
				_, _ = to.Write(b[:n]) // an end that is closed shows at the next read
			}
			if err != nil {
				return
			}
		}
	}
	go carry(conn, up)
	carry(up, conn)
}

// cut ends every connection and refuses new ones.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.listen.Close()
	for conn := range p.conns {
		conn.Close()
	}
	clear(p.conns)
}

// freeze drops all data from now on.
func (p *proxy) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = true
}

// TestWatch_serverAway: while the server does not answer, --watch reports since when the answer is out of date, and then that it is up to
// date again.
func TestWatch_serverAway(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"status", "tree"} {
		t.Run(command, func(t *testing.T) {
			b := clitest.NewBench(t)
			config, p := behind(t, plane.SlowServer(t, plane.ForTest(t)))
			web := b.Create(clitest.Deployment)
			s := clitest.Start(t, time.Now, false, command, "deploy/web", "--watch", "-o", "jsonl", "--kubeconfig",
				clitest.Kubeconfig(t, config, b.Namespace, ""))
			s.See(`"name":"web"`, `"verdict":"InProgress"`)
			address := p.listen.Addr().String()
			p.cut()
			var stale struct {
				Stale *struct {
					Since   time.Time
					Message string
				}
			}
			if err := json.Unmarshal([]byte(s.See(`{"stale":{`)), &stale); err != nil || stale.Stale.Since.IsZero() ||
				!strings.Contains(stale.Stale.Message, "refused") {
				t.Errorf("%v, %+v", err, stale.Stale)
			}
			b.Patch(web, "", `{"spec":{"paused":true}}`)
			p.open(address)
			for back, paused := false, false; !back || !paused; { // in any order: the watches resume one by one
				line := s.See("")
				back = back || line == `{"stale":null}`
				paused = paused || strings.Contains(line, `"verdict":"Suspended"`)
			}
			for _, want := range []string{"out of date since ", "up to date again"} {
				if !strings.Contains(s.Err.String(), want) {
					t.Errorf("standard error lacks %q:\n%s", want, s.Err)
				}
			}
			if n := strings.Count(s.Err.String(), "out of date"); n != 1 {
				t.Errorf("reported %d times:\n%s", n, s.Err)
			}
		})
	}
}

// TestWatch_serverAwayTerminal: on a terminal the frame shows it.
func TestWatch_serverAwayTerminal(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	config, p := behind(t, plane.SlowServer(t, plane.ForTest(t)))
	b.Create(clitest.Deployment)
	s := clitest.Start(t, time.Now, true, "status", "deploy/web", "--watch", "--kubeconfig", clitest.Kubeconfig(t, config, b.Namespace, ""))
	s.See("Deployment/web", "InProgress")
	address := p.listen.Addr().String()
	p.cut()
	s.See("out of date since ", "refused", "trying again")
	s.See("Deployment/web", "InProgress")
	p.open(address)
	for last := ""; !strings.Contains(last, "\x1b[J") || strings.Contains(last, "out of date"); { // the line with which a frame begins
		last = s.See("")
	}
	if strings.Contains(s.Err.String(), "out of date") {
		t.Errorf("standard error is written beside the frame:\n%s", s.Err)
	}
}

// TestWait_serverAway: a wait whose server stops to answer ends as unreachable, not as timed out with the last answer.
func TestWait_serverAway(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		trouble func(*proxy)
		notice  bool // the connection ends, so that the trouble is known at once
	}{
		"refused": {(*proxy).cut, true},
		"frozen":  {(*proxy).freeze, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := clitest.NewBench(t)
			config, p := behind(t, plane.SlowServer(t, plane.ForTest(t)))
			b.Create(clitest.Deployment)
			now := &clitest.Clock{}
			s := clitest.Start(t, now.Now, true, "wait", "deploy/web", "--timeout", "1h", "--kubeconfig",
				clitest.Kubeconfig(t, config, b.Namespace, ""))
			s.See("Deployment/web", "InProgress")
			test.trouble(p)
			if test.notice {
				s.See("waiting", "out of date since ")
			}
			now.Step(2 * time.Hour)
			text, code := s.Rest()
			if code != exit.Unknown {
				t.Errorf("exit code %d, want %d\n%s\n%s", code, exit.Unknown, text, s.Err)
			}
			if !strings.Contains(s.Err.String(), "unreachable after") || strings.Contains(s.Err.String(), "timed out") {
				t.Errorf("standard error: %s", s.Err)
			}
			if want := "? Unknown"; !strings.Contains(text, want) {
				t.Errorf("the last answer lacks %q:\n%s", want, text)
			}
		})
	}
}

// TestWait_serverBack: a wait goes on when the server is back. A watch that has had an event continues where it was; another one lists
// again.
func TestWait_serverBack(t *testing.T) {
	t.Parallel()
	for name, event := range map[string]bool{"lists": false, "continues": true} {
		t.Run(name, func(t *testing.T) {
			b := clitest.NewBench(t)
			config, p := behind(t, plane.SlowServer(t, plane.ForTest(t)))
			web := b.Create(clitest.Deployment)
			s := clitest.Start(t, time.Now, false, "wait", "deploy/web", "--timeout", "1h", "-o", "jsonl", "--for", "verdict=Suspended",
				"--stable-for", "1ms", "--kubeconfig", clitest.Kubeconfig(t, config, b.Namespace, ""))
			s.See(`"verdict":"InProgress"`)
			if event {
				b.Patch(web, "", `{"spec":{"replicas":3}}`)
				s.See("of 3 replicas")
			}
			address := p.listen.Addr().String()
			p.cut()
			s.See(`{"stale":{`)
			b.Patch(web, "", `{"spec":{"paused":true}}`)
			p.open(address)
			text, code := s.Rest()
			if code != exit.OK || !strings.Contains(text, `{"stale":null}`) {
				t.Errorf("exit code %d\n%s\n%s", code, text, s.Err)
			}
		})
	}
}
