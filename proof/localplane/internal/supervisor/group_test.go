// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain is also the child: Start calls the binary with Command, the name of an action, and a file to create
// when that is being done.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == Command {
		os.Exit(behave(os.Args[2], os.Args[3]))
	}
	os.Exit(m.Run())
}

func behave(name, ready string) int {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	if extra := os.NewFile(ExtraFD, "extra"); name == "reads" {
		text, err := io.ReadAll(extra)
		fmt.Printf("%s %v\n", text, err)
		return 7
	}
	if err := os.WriteFile(ready, nil, 0o600); err != nil {
		return 1
	}
	switch name {
	case "obeys":
		<-stop
		return 0
	case "stubborn":
		for {
			<-stop
		}
	}
	return 1
}

func TestStop(t *testing.T) {
	for _, grace := range []time.Duration{0, time.Hour} {
		t.Run(fmt.Sprint(grace), func(t *testing.T) {
			g := newGroup(t)
			startChild(t, g, "obeys", grace)
			startChild(t, g, "obeys", grace)
			children := g.children
			if err := g.Stop(); err != nil {
				t.Fatal(err)
			}
			for _, c := range children {
				if want := grace == 0; c.cmd.ProcessState.Success() == want {
					t.Errorf("killed: want %t, got %s", want, c.cmd.ProcessState)
				}
			}
		})
	}
}

func TestStopStubborn(t *testing.T) {
	g := newGroup(t)
	startChild(t, g, "stubborn", time.Millisecond)
	c := g.children[0]
	if err := g.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := c.cmd.ProcessState.String(); got != "signal: killed" {
		t.Errorf("want killed, got %s", got)
	}
}

func TestFailed(t *testing.T) {
	g := newGroup(t)
	dir := t.TempDir()
	extra := filepath.Join(dir, "extra")
	if err := os.WriteFile(extra, []byte("from the supervisor"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(extra)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	err = g.Start(Child{Name: "reads", Flags: []string{"none"}, Log: filepath.Join(dir, "log"), Extra: file})
	if err != nil {
		t.Fatal(err)
	}
	want := "reads stopped (exit status 7); the end of its log:\n  from the supervisor <nil>"
	if got := <-g.Failed(); got.Error() != want {
		t.Errorf("want %q, got %q", want, got)
	}
	if err := g.Stop(); err != nil {
		t.Error(err)
	}
}

func TestStartFails(t *testing.T) {
	lock, err := os.CreateTemp(t.TempDir(), "lock")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	g, err := NewGroup(filepath.Join(t.TempDir(), "absent"), t.TempDir(), lock)
	if err != nil {
		t.Fatal(err)
	}
	err = g.Start(Child{Name: "etcd", Log: filepath.Join(t.TempDir(), "log")})
	if err == nil || !strings.HasPrefix(err.Error(), "start etcd: ") {
		t.Errorf("want an error that names etcd, got %v", err)
	}
	if err := g.Stop(); err != nil {
		t.Error(err)
	}
}

func TestTail(t *testing.T) {
	long := strings.Repeat("é", 1000)
	tests := map[string]struct {
		text string
		n    int
		want string
	}{
		"empty":       {"", 3, ""},
		"blank lines": {"\n \n\n", 3, ""},
		"fewer lines": {"a\nb", 3, "  a\n  b"},
		"more lines":  {"a\nb\n\nc\r\nd\n", 2, "  c\n  d"},
		"long line":   {long, 1, "  " + strings.Repeat("é", 200) + " ..."},
		"long file":   {strings.Repeat("x\n", tailBytes) + "end\n", 1, "  end"},
		"a panic": {"{\"error\":\"no space left on device\"}\npanic: no log\n\ngoroutine 1 [running]:\nmain.main()\n", 2,
			"  {\"error\":\"no space left on device\"}\n  panic: no log"},
		"one long line": {strings.Repeat("x", 2*tailBytes), 5, "  " + strings.Repeat("x", lineBytes) + " ..."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := Tail(path, test.n); got != test.want {
				t.Errorf("want %q, got %q", test.want, got)
			}
		})
	}
	if got := Tail(filepath.Join(t.TempDir(), "absent"), 3); got != "" {
		t.Errorf("absent file: want nothing, got %q", got)
	}
}

func newGroup(t *testing.T) *Group {
	t.Helper()
	lock, err := os.CreateTemp(t.TempDir(), "lock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGroup(exe, t.TempDir(), lock)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// startChild returns when the child is ready for signals.
func startChild(t *testing.T, g *Group, name string, grace time.Duration) {
	t.Helper()
	dir := t.TempDir()
	ready := filepath.Join(dir, "ready")
	if err := g.Start(Child{Name: name, Flags: []string{ready}, Log: filepath.Join(dir, "log"), Grace: grace}); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(5 * time.Minute)
	for {
		if _, err := os.Stat(ready); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s did not start", name)
		}
		time.Sleep(time.Millisecond)
	}
}
