// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// Command is the hidden first argument of the binary that selects a component.
const Command = "component"

// Program is the component that runs a program of this machine: its first argument is the path, the others are the program's.
const Program = "program"

// Names of the components, in the order in which they start.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler" // with nodes only
	Kwok              = "kwok"           // with nodes only: plays the kubelets
)

// File descriptors of a child: the read end of the supervisor's pipe, the lock of the data folder, and the file given to
// [Group.Start], if any.
const (
	LifelineFD = 3 + iota
	LockFD
	ExtraFD
)

// Group is a set of children. Its methods are for one goroutine.
type Group struct {
	exe      string
	dir      string
	lock     *os.File
	read     *os.File
	write    *os.File // closed by the kernel when this process ends
	children []*child
	failed   chan error
}

type child struct {
	Child
	cmd  *exec.Cmd
	done chan struct{}
}

// NewGroup prepares a group whose children run exe in folder dir and hold lock.
func NewGroup(exe, dir string, lock *os.File) (*Group, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &Group{exe: exe, dir: dir, lock: lock, read: read, write: write, failed: make(chan error, 1)}, nil
}

// Child describes a process to start.
type Child struct {
	Name  string        // of the component
	Path  string        // of a program of this machine that is the component; empty: it is built in
	Flags []string      // of the component
	Log   string        // file whose content its output replaces
	Grace time.Duration // how long it may take to stop before it is killed
	Extra *os.File      // inherited as ExtraFD; optional
}

// Start starts a child.
func (g *Group) Start(spec Child) error {
	out, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	args := []string{Command, spec.Name}
	if spec.Path != "" {
		args = []string{Command, Program, spec.Path}
	}
	cmd := exec.Command(g.exe, append(args, spec.Flags...)...)
	cmd.Args[0] = "localplane"
	cmd.Dir = g.dir
	cmd.Stdout, cmd.Stderr = out, out
	cmd.ExtraFiles = []*os.File{g.read, g.lock}
	if spec.Extra != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, spec.Extra)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", spec.Name, err)
	}
	c := &child{Child: spec, cmd: cmd, done: make(chan struct{})}
	g.children = append(g.children, c)
	go func() {
		err := cmd.Wait()
		select {
		case g.failed <- exitError(c, err):
		default: // only the first matters
		}
		close(c.done)
	}()
	return nil
}

// Failed delivers the error of the first child that ends.
func (g *Group) Failed() <-chan error { return g.failed }

// Stop ends the children, the last one started first, and kills those that exceed their grace. None is left when Stop
// returns.
func (g *Group) Stop() error {
	for _, c := range slices.Backward(g.children) {
		if c.Grace > 0 {
			_ = c.cmd.Process.Signal(syscall.SIGTERM)
		}
		select {
		case <-c.done:
		case <-time.After(c.Grace):
			_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // the group: with the program that the child runs, if it does
			<-c.done
		}
	}
	g.children = nil
	return errors.Join(g.read.Close(), g.write.Close())
}

func exitError(c *child, err error) error {
	what := "exit status 0"
	if err != nil {
		what = err.Error()
	}
	if tail := Tail(c.Log, tailLines); tail != "" {
		return fmt.Errorf("%s stopped (%s); the end of its log:\n%s", c.Name, what, tail)
	}
	return fmt.Errorf("%s stopped (%s) without a word", c.Name, what)
}
