// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// pod is a pod whose containers run here.
type pod struct {
	uid     types.UID
	dir     string
	started bool

	mu       sync.Mutex
	ports    map[int]string // container port -> address on this machine
	programs []*program
}

// program is a process of a container.
type program struct {
	container string
	command   *exec.Cmd
	output    bytes.Buffer // standard output; read after ended
	ended     chan struct{}
}

// run starts a container. Paths of mounts become folders of this machine, and addresses free ports.
func (p *pod) run(ctx context.Context, k *Kubelet, c corev1.Container) error {
	var args []string
	for _, arg := range c.Args {
		for _, m := range c.VolumeMounts {
			// The folder of the mount, or one above it, as an argument or its value.
			if name, path, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(path+"/", "/") &&
				(strings.HasPrefix(m.MountPath, path) || strings.HasPrefix(path, m.MountPath)) {
				arg = name + "=" + p.dir + path
				break
			}
		}
		if name, _, ok := strings.Cut(arg, "="); ok && (name == "--listen" || name == "--agent" || name == "--proxy") {
			arg = name + "=127.0.0.1:0"
		}
		args = append(args, arg)
	}
	args = append(args, k.Programs[c.Command[0]]...)
	command := exec.CommandContext(ctx, k.Command, args...)
	command.Env = append(os.Environ(), Program+"="+c.Command[0], "HTTP_PROXY="+k.Proxy(), "NO_PROXY=")
	command.Stderr = os.Stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	one := &program{container: c.Name, command: command, ended: make(chan struct{})}
	p.mu.Lock()
	p.programs = append(p.programs, one)
	p.mu.Unlock()
	go func() {
		defer close(one.ended)
		p.read(c, io.TeeReader(stdout, &one.output))
		if err := command.Wait(); err != nil && ctx.Err() == nil {
			fmt.Fprintf(&one.output, "%v\n", err)
		}
	}()
	return nil
}

// read learns the addresses that a program prints as "listening on ADDRESS", in the order of its ports.
func (p *pod) read(c corev1.Container, output io.Reader) {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			p.mu.Lock()
			if n < len(c.Ports) {
				p.ports[int(c.Ports[n].ContainerPort)] = address
			} else {
				p.ports[-n] = address
			}
			p.mu.Unlock()
			n++
		}
	}
}

func (p *pod) address(port int) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ports[port]
}

func (p *pod) stop() {
	p.mu.Lock()
	programs := p.programs
	p.programs = nil
	p.mu.Unlock()
	for _, one := range programs {
		// A process that has ended cannot be killed.
		_ = one.command.Process.Kill()
		<-one.ended
	}
}
