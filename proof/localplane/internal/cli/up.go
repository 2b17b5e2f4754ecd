// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	kubeversion "k8s.io/component-base/version"

	"github.com/tristate/tristate/proof/localplane/internal/components"
	"github.com/tristate/tristate/proof/localplane/internal/folder"
	"github.com/tristate/tristate/proof/localplane/internal/programs"
	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

type upOptions struct {
	dir        string
	kubeconfig string
	quiet      bool
	untilEOF   bool
	nodes      int
	timeout    time.Duration
	components map[string]components.Run // built in
	stdin      io.Reader
	stdout     io.Writer
}

// up runs a control plane until it is asked to stop; nil then, and also when it was asked before it was ready.
func up(ctx context.Context, opts upOptions) (err error) {
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, signals...)
	defer stop()
	if opts.untilEOF {
		ctx = untilEOF(ctx, opts.stdin)
	}
	start := time.Now()

	has, from, err := available(opts.components)
	if err != nil {
		return err
	}
	if opts.nodes > 0 && has[supervisor.Scheduler] == nil {
		return errors.New("--nodes needs kube-scheduler and KWOK, which this build does not have: make bin/localplane builds one that does")
	}
	data, err := openFolder(opts.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.Close()) }()

	kubeconfig, err := kubeconfigPath(opts.kubeconfig, data)
	if err != nil {
		return err
	}
	credentials, err := data.Credentials(start)
	if err != nil {
		return err
	}
	listener, err := listen(data.Port())
	if err != nil {
		return err
	}
	server := "https://" + listener.Addr().String()

	group, err := supervisor.NewGroup(executable(), data.Path, data.Lock)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, group.Stop()) }()

	starting, cancel := context.WithTimeoutCause(ctx, opts.timeout, fmt.Errorf("not ready after %s", opts.timeout))
	defer cancel()
	p := &plane{has: has, data: data, group: group, credentials: credentials, server: server, nodes: opts.nodes}
	if err := p.start(starting, listener); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}

	config := folder.RenderKubeconfig(server, credentials.CA, credentials.AdminToken)
	if err := folder.WriteKubeconfig(kubeconfig, config); err != nil {
		return err
	}
	if data.Ephemeral {
		defer func() { err = errors.Join(err, folder.RemoveKubeconfig(kubeconfig, config)) }()
	}
	line := kubeconfig
	if !opts.quiet {
		line = fmt.Sprintf("ready in %.1f s: Kubernetes %s at %s, KUBECONFIG=%s",
			time.Since(start).Seconds(), from, server, kubeconfig)
	}
	if _, err := fmt.Fprintln(opts.stdout, line); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-group.Failed():
		return err
	}
}

// launch is how a component is started: as one that is built in, or as a program of this machine.
type launch struct {
	program string // path; empty: built in
}

// available returns the components that can be started, and their version or where they are from.
func available(builtIn map[string]components.Run) (map[string]*launch, string, error) {
	has := map[string]*launch{}
	for name := range builtIn {
		has[name] = &launch{}
	}
	if len(has) > 0 {
		return has, kubeversion.Get().GitVersion, nil
	}
	found, from, err := programs.Find(os.Getenv)
	for name, path := range found {
		has[name] = &launch{program: path}
	}
	return has, "of " + from, err
}

func openFolder(dir string) (*folder.Folder, error) {
	if dir == "" {
		return folder.Temporary(os.TempDir())
	}
	return folder.Open(dir)
}

func kubeconfigPath(flag string, data *folder.Folder) (string, error) {
	if flag == "" {
		return data.Join(folder.Kubeconfig), nil
	}
	path, err := filepath.Abs(flag)
	if err != nil {
		return "", err
	}
	return path, folder.CheckKubeconfig(path)
}

// listen opens the preferred port, or any free one if that is 0 or in use.
func listen(preferred int) (*net.TCPListener, error) {
	loopback := net.IPv4(127, 0, 0, 1)
	if preferred != 0 {
		if l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: loopback, Port: preferred}); err == nil {
			return l, nil
		}
	}
	return net.ListenTCP("tcp4", &net.TCPAddr{IP: loopback})
}

// executable is the path of the running binary, on Linux the file itself even if the path holds a newer one by now.
func executable() string {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// untilEOF returns a context that ends with the reader.
func untilEOF(ctx context.Context, r io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, r)
		cancel()
	}()
	return ctx
}
