// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
)

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/(\?token=\w+)?`)

// start runs the command with arguments that serve the page, and returns the address that it prints. It is interrupted when the test ends.
func start(t *testing.T, args ...string) string {
	t.Helper()
	binary := os.Getenv("TRISTATE_BINARY")
	if binary == "" {
		binary = filepath.Join(root(t), "bin", "tristate")
	}
	if _, err := os.Stat(binary); err != nil {
		t.Fatalf("%s: build it first, as make test-ui does", binary)
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "TZ=UTC")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	found := make(chan string, 1)
	var said strings.Builder
	var mu sync.Mutex
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(found)
		lines := bufio.NewReader(out)
		for sent := false; ; {
			line, err := lines.ReadString('\n')
			mu.Lock()
			said.WriteString(line)
			mu.Unlock()
			if url := address.FindString(line); url != "" && !sent {
				sent = true
				found <- url
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		if err := cmd.Wait(); err != nil && !strings.Contains(err.Error(), "130") && !strings.Contains(err.Error(), "interrupt") {
			t.Errorf("%s: %v", strings.Join(args, " "), err)
		}
		<-done
		if t.Failed() {
			mu.Lock()
			t.Logf("tristate %s printed:\n%s", strings.Join(args, " "), said.String())
			mu.Unlock()
		}
	})
	url, ok := <-found
	if !ok {
		t.Fatalf("tristate %s printed no address:\n%s", strings.Join(args, " "), said.String())
	}
	return url
}

// serve starts `tristate ui` for files.
func serve(t *testing.T, files ...string) string {
	t.Helper()
	args := []string{"ui"}
	for _, file := range files {
		args = append(args, "-f", file)
	}
	return start(t, args...)
}

// with returns an address of the page with a query; the token stays, for the first visit.
func with(t *testing.T, page, query string) string {
	t.Helper()
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	extra, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for name, values := range extra {
		q[name] = values
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// line is a connection to a server that can be cut, and whose messages can get lost.
type line struct {
	*httptest.Server
	mu   sync.Mutex
	cut  bool
	lose string // a message of the stream with this text is lost
}

// between puts a line between the page and its server, and returns the address of the page by way of it.
func between(t *testing.T, page string) (*line, string) {
	t.Helper()
	target, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	l := &line{}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host})
			r.Out.Host = target.Host
			r.Out.Header.Del("Origin") // of the line, which the server does not know
		},
		ErrorLog: nil,
		ModifyResponse: func(r *http.Response) error {
			if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
				r.Body = &lossy{line: l, body: r.Body, in: bufio.NewReader(r.Body)}
			}
			return nil
		},
	}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		cut := l.cut
		l.mu.Unlock()
		if cut {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		l.CloseClientConnections()
		l.Close()
	})
	here, err := url.Parse(l.URL)
	if err != nil {
		t.Fatal(err)
	}
	here.Path, here.RawQuery = target.Path, target.RawQuery
	return l, here.String()
}

// set cuts the line or mends it.
func (l *line) set(cut bool) {
	l.mu.Lock()
	l.cut = cut
	l.mu.Unlock()
	if cut {
		l.CloseClientConnections()
	}
}

// loses makes the line lose the next message of the stream that contains the text.
func (l *line) loses(text string) {
	l.mu.Lock()
	l.lose = text
	l.mu.Unlock()
}

// lost reports whether the message was lost.
func (l *line) lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lose == ""
}

// lossy is the body of a stream, message by message.
type lossy struct {
	line *line
	body io.Closer
	in   *bufio.Reader
	rest []byte
}

func (l *lossy) Close() error { return l.body.Close() }

func (l *lossy) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		var message []byte
		for {
			text, err := l.in.ReadBytes('\n')
			message = append(message, text...)
			if err != nil {
				return copy(p, message), err
			}
			if len(text) == 1 {
				break
			}
		}
		l.line.mu.Lock()
		drop := l.line.lose != "" && strings.Contains(string(message), l.line.lose)
		if drop {
			l.line.lose = ""
		}
		l.line.mu.Unlock()
		if !drop {
			l.rest = message
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
