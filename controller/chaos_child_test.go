// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clientcmd "k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// commandFolder has the command that users run, once a test has asked for it.
var commandFolder string

var buildCommand = sync.OnceValues(func() (path string, err error) {
	if commandFolder, err = os.MkdirTemp("", "tristate-controller"); err != nil {
		return "", err
	}
	path = filepath.Join(commandFolder, "tristate")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", path, "../cmd/tristate")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, output)
	}
	return path, nil
})

// command returns the command that users run, which is built once.
func command(t *testing.T) string {
	t.Helper()
	path, err := buildCommand()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// child is a controller as users run it: a process of its own.
type child struct {
	t               *testing.T
	args            []string
	metrics, health string
	log             *tail

	cmd    *exec.Cmd
	ended  chan struct{}
	wanted atomic.Bool // it was made to end
}

// start starts the process; it does not outlive this one.
func (c *child) start() {
	c.t.Helper()
	c.cmd, c.ended = exec.Command(c.args[0], c.args[1:]...), make(chan struct{})
	c.cmd.Args = append(c.cmd.Args, "--metrics-address", c.metrics, "--health-address", c.health, "--until-eof")
	c.cmd.Stdout, c.cmd.Stderr = c.log, c.log
	c.cmd.Env = append(os.Environ(), "GOGC=100") // as for a user, where its memory is measured
	if _, err := c.cmd.StdinPipe(); err != nil {
		c.t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.wanted.Store(false)
	go func(cmd *exec.Cmd, ended chan struct{}) {
		if err := cmd.Wait(); !c.wanted.Load() {
			c.t.Errorf("the controller ended by itself: %v", err)
		}
		close(ended)
	}(c.cmd, c.ended)
}

// end ends the process by a signal and waits for its end.
func (c *child) end(by syscall.Signal) {
	c.t.Helper()
	c.wanted.Store(true)
	c.signal(by)
	if by != syscall.SIGKILL {
		defer time.AfterFunc(patience, func() { c.t.Errorf("the controller does not end"); c.signal(syscall.SIGKILL) }).Stop()
	}
	<-c.ended
}

func (c *child) signal(s syscall.Signal) {
	_ = c.cmd.Process.Signal(s) // it may have ended
}

// get reads from an endpoint of the process; an empty answer is none.
func (c *child) get(address, path string) (code int, body string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second) // it is asked again
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, ""
	}
	return response.StatusCode, string(data)
}

var passesLine = regexp.MustCompile(`(?m)^tristate_passes_total\{changed="(true|false)",.*\} (\d+)$`)

// passes counts the passes of the process since its start, with and without a change.
func (c *child) passes() (changed, unchanged int) {
	_, body := c.get(c.metrics, "/metrics")
	for _, m := range passesLine.FindAllStringSubmatch(body, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			c.t.Fatal(err)
		}
		if m[1] == "true" {
			changed += n
		} else {
			unchanged += n
		}
	}
	return changed, unchanged
}

// liar stands between the controller and the API server and speaks HTTP with both. It acts for a user that has no more rights than it was
// given, and answers wrongly as configured.
type liar struct {
	*httptest.Server
	to   atomic.Pointer[httputil.ReverseProxy]
	mode atomic.Int32
}

// What a liar does.
const (
	honest      int32 = iota
	unavailable       // answers 503 to everything
	groupless         // answers 503 to discovery only
	throttling        // answers 429 to everything
	afterwards        // does what it is asked to, and answers 500 to writes
	hangingUp         // does what it is asked to, and hangs up instead of answering writes
)

func newLiar(t *testing.T) *liar {
	l := &liar{}
	l.Server = httptest.NewUnstartedServer(http.HandlerFunc(l.serve))
	l.EnableHTTP2 = true
	l.Config.ErrorLog = log.New(io.Discard, "", 0) // connections end in every way here
	l.StartTLS()
	t.Cleanup(func() { l.CloseClientConnections(); l.Close() })
	return l
}

// use sends requests to an API server, as a user.
func (l *liar) use(config *rest.Config, user string) error {
	config = rest.CopyConfig(config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return err
	}
	server, err := url.Parse(config.Host)
	if err != nil {
		return err
	}
	l.to.Store(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(server)
			r.Out.Header.Del("Authorization")
		},
		Transport:     transport,
		ErrorLog:      log.New(io.Discard, "", 0),
		FlushInterval: -1, // a watch is read line by line
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	})
	return nil
}

func (l *liar) serve(w http.ResponseWriter, r *http.Request) {
	asked := parse(r)
	answer := func(code int, reason metav1.StatusReason) {
		said := refuse(r, code, reason)
		w.Header().Set("Content-Type", said.Header.Get("Content-Type"))
		w.WriteHeader(code)
		_, _ = io.Copy(w, said.Body)
	}
	write := r.Method != http.MethodGet
	switch mode := l.mode.Load(); {
	case mode == unavailable, mode == groupless && asked.verb == "discover":
		answer(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable)
	case mode == throttling:
		w.Header().Set("Retry-After", "1")
		answer(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests)
	case mode == afterwards && write, mode == hangingUp && write:
		l.to.Load().ServeHTTP(httptest.NewRecorder(), r)
		if mode == hangingUp {
			panic(http.ErrAbortHandler)
		}
		answer(http.StatusInternalServerError, metav1.StatusReasonInternalError)
	default:
		l.to.Load().ServeHTTP(w, r)
	}
}

// kubeconfig is a file with an address of the liar and nothing secret.
func (l *liar) kubeconfig(t *testing.T, address string) string {
	t.Helper()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: l.Certificate().Raw})
	config := clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"chaos": {Server: "https://" + address, CertificateAuthorityData: authority}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"chaos": {Token: "none"}}, // without one the command asks for a user
		Contexts:       map[string]*clientcmdapi.Context{"chaos": {Cluster: "chaos", AuthInfo: "chaos"}},
		CurrentContext: "chaos",
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// component returns the process of a control plane that runs a component; 0 where that cannot be known.
func component(supervisor int, name string) int {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", supervisor))
	if err != nil {
		return 0
	}
	for _, list := range lists {
		children, err := os.ReadFile(list)
		if err != nil {
			continue // a thread that has ended
		}
		for _, field := range bytes.Fields(children) {
			pid, err := strconv.Atoi(string(field))
			if err != nil {
				continue
			}
			if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && bytes.Contains(line, []byte(name)) {
				return pid
			}
		}
	}
	return 0
}
