// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/operator/program"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/kro/operator/internal/operator"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// programVariable makes the test binary the program kro-operator.
const programVariable = "KRO_TEST_PROGRAM"

// process is kro-operator as a process of its own. It reaches the API server through a proxy of the test, which has the permissions of the
// operator, counts its requests, and may kill it in the middle of one.
type process struct {
	command *exec.Cmd
	input   io.Writer
	ended   chan struct{}
}

// obey wakes an operator that runs as a process for each byte of its standard input, and ends the process with it: the test that started it
// is gone.
func obey(o *operator.Operator) {
	go func() {
		for wake := make([]byte, 1); ; {
			if _, err := os.Stdin.Read(wake); err != nil {
				os.Exit(program.ExitFailed)
			}
			_ = o.Wake(context.Background()) // one that has just started looks at everything anyway
		}
	}()
}

// fuse kills a process at a write.
type fuse struct {
	left   atomic.Int64 // writes until then; 0: it does not
	before atomic.Bool  // the write does not reach the API server
	blow   atomic.Value // func()
}

var errKilled = errors.New("the process is killed")

// wrap makes requests burn a fuse.
func (f *fuse) wrap(next http.RoundTripper) http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet || f.left.Load() <= 0 || f.left.Add(-1) != 0 {
			return next.RoundTrip(r)
		}
		blow := f.blow.Load().(func())
		if f.before.Load() {
			blow()
			return nil, errKilled
		}
		response, err := next.RoundTrip(r)
		blow()
		return response, err
	})
}

// spawn starts kro-operator with the permissions of a configuration.
func (s *side) spawn(t *testing.T, config *rest.Config, args ...string) *process {
	t.Helper()
	config = rest.CopyConfig(config)
	config.Wrap(s.fuse.wrap)
	server, err := plane.Proxy(config)
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters["proxy"] = &clientcmdapi.Cluster{Server: server.URL}
	kubeconfig.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy", AuthInfo: "nobody"}
	kubeconfig.AuthInfos["nobody"] = &clientcmdapi.AuthInfo{}
	kubeconfig.CurrentContext = "proxy"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*kubeconfig, file); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{command: exec.Command(self, append([]string{"--health-address=0", "--metrics-address=0"}, args...)...),
		ended: make(chan struct{})}
	p.command.Env = append(os.Environ(), programVariable+"=kro-operator", "KUBECONFIG="+file)
	written := &world.Log{}
	p.command.Stderr = written
	if p.input, err = p.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	s.fuse.blow.Store(p.kill)
	go func() {
		defer close(p.ended)
		_ = p.command.Wait() // it is killed, or its log has the reason
		server.CloseClientConnections()
		server.Close()
	}()
	t.Cleanup(func() {
		p.end()
		if t.Failed() {
			text := written.String()
			t.Logf("kro-operator: %s", text[max(0, len(text)-4000):])
		}
	})
	return p
}

// kill ends the process without warning.
func (p *process) kill() { _ = p.command.Process.Kill() } // it may have ended

// end kills the process and waits until it is gone.
func (p *process) end() {
	p.kill()
	<-p.ended
}

// alive reports whether the process runs.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Start lets the process run until the context ends, and kills it.
func (p *process) Start(ctx context.Context) error {
	<-ctx.Done()
	p.end()
	return nil
}

// Wake has the process reconcile everything again. It does nothing to one that has ended.
func (p *process) Wake(context.Context) error {
	_, _ = p.input.Write([]byte{0})
	return nil
}

// asProcess runs kro-operator as a process, which [side.revive] starts again where it has ended.
func asProcess(t *testing.T, s *side, config *rest.Config, _ *prometheus.Registry) (world.Operator, error) {
	t.Helper()
	s.process = s.spawn(t, config, "--leader-elect=false")
	return s.process, nil
}

// revive starts a process that was killed again.
func (s *side) revive(t *testing.T) {
	t.Helper()
	if s.process != nil && !s.process.alive() {
		s.kills++
		s.end(t)
		s.begin(t)
	}
}
