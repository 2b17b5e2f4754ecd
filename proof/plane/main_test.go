// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/plane/process"
	"k8s.io/apimachinery/pkg/util/wait"
)

// envStarter makes the test binary a program that starts a control plane, prints that it has and then does nothing: for a test that
// kills it.
const envStarter = "TRISTATE_PLANE_STARTER"

// limit is how long a test waits for what must happen; far more than it takes on a busy machine.
const limit = 5 * time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(envStarter) != "" {
		os.Exit(starter())
	}
	Main(m)
}

func starter() int {
	p, err := Start(context.Background(), Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(p.PID(), p.Kubeconfig())
	<-p.Done()
	return 1
}

// start starts a control plane of the test's own.
func start(t *testing.T, opts Options) *Plane {
	t.Helper()
	needBinary(t)
	p, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	return p
}

func needBinary(t *testing.T) {
	t.Helper()
	if _, err := process.Find(); err != nil {
		if os.Getenv(envRequire) == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// eventually polls until done returns nil, and fails the test with its last error after the limit.
func eventually(t *testing.T, done func(context.Context) error) {
	t.Helper()
	last := fmt.Errorf("not tried")
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, limit, true, func(ctx context.Context) (bool, error) {
		last = done(ctx)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("%v: %v", err, last)
	}
}

// proc is a process that a test expects to end. Its start time distinguishes it from another with the same number.
type proc struct {
	pid   int
	since string
}

// family returns the process and its descendants.
func family(t *testing.T, root int) []proc {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Skip("needs a /proc file system")
	}
	children := map[int][]int{}
	since := map[int]string{}
	for _, stat := range stats {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		if err != nil {
			continue
		}
		if fields := statFields(pid); fields != nil {
			parent, _ := strconv.Atoi(fields[1])
			children[parent] = append(children[parent], pid)
			since[pid] = fields[19]
		}
	}
	var found []proc
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		if start, ok := since[queue[0]]; ok {
			found = append(found, proc{queue[0], start})
		}
		queue = append(queue, children[queue[0]]...)
	}
	return found
}

// alive returns an error that names the processes that have not ended. One that only waits to be collected has.
func alive(processes []proc) error {
	left := slices.DeleteFunc(slices.Clone(processes), func(p proc) bool {
		fields := statFields(p.pid)
		return fields == nil || fields[0] == "Z" || fields[0] == "X" || fields[19] != p.since
	})
	if len(left) > 0 {
		return fmt.Errorf("still running: %v", left)
	}
	return nil
}

// statFields returns /proc/PID/stat from the state on; nil if there is no such process.
func statFields(pid int) []string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	// The name before it is in brackets and may contain anything.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) < 20 {
		return nil
	}
	return fields
}

// absent returns an error if the path exists.
func absent(path string) error {
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		return fmt.Errorf("%s still exists (%v)", path, err)
	}
	return nil
}
