// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// stopTimeout is how long localplane may take to stop before it is killed.
const stopTimeout = 5 * time.Minute

// Options of [Start]; the zero value is a temporary control plane of bin/localplane.
type Options struct {
	// Binary is the path of localplane; bin/localplane at the root of the repository that holds the working directory if empty.
	Binary string
	// Dir is the data folder, created if absent and continued if not. A temporary one, removed at the end, if empty.
	Dir string
	// Kubeconfig is the file to write the kubeconfig to; one in the data folder if empty. A file that localplane did not
	// write is not replaced.
	Kubeconfig string
	// Nodes is the number of nodes. With at least one, kube-scheduler and KWOK run too: pods are scheduled, become ready,
	// complete and fail, as localplane's README describes. Without, pods stay Pending.
	Nodes int
	// Detach lets the control plane outlive this process. Stop still ends it, and so does SIGTERM to PID.
	Detach bool
}

// Plane is a running control plane.
type Plane struct {
	kubeconfig string
	config     *rest.Config
	cmd        *exec.Cmd
	stdin      io.Closer // nil if detached
	stderr     *os.File
	done       chan struct{}
	err        error // why it ended; set before done is closed
}

// Start starts a control plane and returns when it answers and its controllers work, within seconds. When ctx ends
// before that, no process is left; afterwards ctx has no effect.
func Start(ctx context.Context, opts Options) (*Plane, error) {
	binary := opts.Binary
	if binary == "" {
		var err error
		if binary, err = Find(); err != nil {
			return nil, err
		}
	}
	p := &Plane{cmd: exec.Command(binary, arguments(opts)...), done: make(chan struct{})}
	if os.Getenv("GOGC") == "" { // a third of the processor time of its programs, for 100 MB
		p.cmd.Env = append(os.Environ(), "GOGC=400")
	}
	path, err := p.launch(ctx, opts.Detach)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	p.kubeconfig = path
	p.config, err = Load(path, "")
	if err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

// Kubeconfig returns the absolute path of a kubeconfig of a member of system:masters.
func (p *Plane) Kubeconfig() string { return p.kubeconfig }

// Config returns a copy of the client configuration, without client-side rate limits.
func (p *Plane) Config() *rest.Config { return rest.CopyConfig(p.config) }

// PID returns the process to signal.
func (p *Plane) PID() int { return p.cmd.Process.Pid }

// Done is closed when the control plane has ended, by Stop or by itself; Err returns why.
func (p *Plane) Done() <-chan struct{} { return p.done }

// Err returns nil while the control plane runs and after it stopped as asked.
func (p *Plane) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Stop ends the control plane and returns when no process of it is left. Further calls only return the same error.
func (p *Plane) Stop() error {
	_ = p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.done:
	case <-time.After(stopTimeout):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	return p.err
}

func arguments(opts Options) []string {
	args := []string{"up", "--quiet", "--timeout=10m"} // against hanging: a machine may be busy
	if opts.Dir != "" {
		args = append(args, "--dir="+opts.Dir)
	}
	if opts.Kubeconfig != "" {
		args = append(args, "--kubeconfig="+opts.Kubeconfig)
	}
	if opts.Nodes != 0 {
		args = append(args, fmt.Sprintf("--nodes=%d", opts.Nodes))
	}
	if !opts.Detach {
		args = append(args, "--until-eof")
	}
	return args
}

// launch starts the process and waits for the line that reports it ready: the path of the kubeconfig.
func (p *Plane) launch(ctx context.Context, detach bool) (string, error) {
	// A file, since a pipe without reader would end a detached process that writes.
	stderr, err := os.CreateTemp("", "localplane-stderr-*")
	if err != nil {
		return "", err
	}
	p.stderr, p.cmd.Stderr = stderr, stderr
	if err := os.Remove(stderr.Name()); err != nil {
		return "", errors.Join(err, stderr.Close())
	}
	p.cmd.SysProcAttr = ownGroup()
	if !detach {
		if p.stdin, err = p.cmd.StdinPipe(); err != nil {
			return "", errors.Join(err, stderr.Close())
		}
	}
	// Not StdoutPipe: Wait closes it, possibly before the line is read.
	stdout, output, err := os.Pipe()
	if err != nil {
		return "", errors.Join(err, stderr.Close())
	}
	defer stdout.Close()
	p.cmd.Stdout = output
	err = p.cmd.Start()
	_ = output.Close() // the child has its own
	if err != nil {
		return "", errors.Join(err, stderr.Close())
	}
	go p.wait()

	abandon := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Signal(os.Interrupt) })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if abandon() && err == nil { // and not interrupted in the last moment
		return strings.TrimSuffix(line, "\n"), nil
	}
	failed := p.Stop()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if failed == nil {
		failed = errors.New("it ended without a word")
	}
	return "", failed
}

// wait collects the end of the process.
func (p *Plane) wait() {
	err := p.cmd.Wait()
	if err != nil {
		text, _ := io.ReadAll(io.NewSectionReader(p.stderr, 0, 64<<10))
		if said := strings.TrimSpace(string(text)); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
	}
	_ = p.stderr.Close()
	p.err = err
	close(p.done)
}

// Load reads a client configuration. The context is the current one if name is empty.
func Load(path, name string) (*rest.Config, error) {
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: path},
		&clientcmd.ConfigOverrides{CurrentContext: name}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", path, err)
	}
	cfg.QPS = -1 // the server is ours alone
	return cfg, nil
}
