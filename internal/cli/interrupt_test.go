// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli"
)

// counting is a context that measures work between two looks at it, and ends at a look. Work is the number of allocated objects: it does
// not depend on the speed of the machine, and no loop of a command over objects is without.
type counting struct {
	context.Context
	cancel context.CancelFunc
	mu     sync.Mutex
	looks  int
	end    int // the look at which it ends; 0: never
	last   uint64
	widest uint64 // work between two looks
	ended  uint64 // when it ended
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func (c *counting) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := allocated()
	c.widest, c.last = max(c.widest, now-c.last), now
	if c.looks++; c.looks == c.end {
		c.ended = now
		c.cancel()
	}
	return c.Context.Err()
}

// fleet writes a list of pods, of which a share is in a crash loop, in groups of ten below a ReplicaSet.
func fleet(t testing.TB, objects, percent int) string {
	var b bytes.Buffer
	b.WriteString(`{"apiVersion":"v1","kind":"List","items":[`)
	for i := range objects {
		if i > 0 {
			b.WriteString(",\n")
		}
		set := i / 10
		if i%10 == 0 {
			fmt.Fprintf(&b, `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"app-%d","namespace":"ns-%d","uid":"rs-%d","generation":1,`+
				`"creationTimestamp":"2026-01-02T03:00:00Z"},"spec":{"replicas":9,"selector":{"matchLabels":{"app":"a%d"}}},`+
				`"status":{"replicas":9,"readyReplicas":9,"availableReplicas":9,"fullyLabeledReplicas":9,"observedGeneration":1}}`, set, set%20, set, set)
			continue
		}
		ready, reason, state := "True", "", `{"running":{"startedAt":"2026-01-02T03:00:10Z"}}`
		if i*percent/100 != (i-1)*percent/100 {
			ready, reason = "False", `"reason":"ContainersNotReady","message":"containers with unready status: [app]",`
			state = `{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 5m0s restarting failed container=app"}}`
		}
		fmt.Fprintf(&b, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"app-%d-%d","namespace":"ns-%d","uid":"p-%d","labels":{"app":"a%d"},`+
			`"creationTimestamp":"2026-01-02T03:00:00Z","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"app-%d","uid":"rs-%d",`+
			`"controller":true}]},"spec":{"nodeName":"node-%d","containers":[{"name":"app","image":"example.org/app:1"}]},"status":{"phase":"Running",`+
			`"conditions":[{"type":"Ready","status":"%s",%s"lastTransitionTime":"2026-01-02T03:00:10Z"},`+
			`{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-01-02T03:00:01Z"}],`+
			`"containerStatuses":[{"name":"app","ready":%t,"restartCount":3,"state":%s,"image":"example.org/app:1","imageID":"i"}]}}`,
			set, i, set%20, i, set, set, set, i%50, ready, reason, ready == "True", state)
	}
	b.WriteString("]}\n")
	name := filepath.Join(t.TempDir(), fmt.Sprintf("fleet-%d-%d.json", objects, percent))
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestInterruptIsSeen: a command that reads a large input looks at the interrupt at least every twentieth of its work, and does not more
// than two of these shares once it is interrupted, in each of its phases.
func TestInterruptIsSeen(t *testing.T) {
	few, many := fleet(t, 20, 20), fleet(t, 1500, 20)
	run := func(ctx context.Context, command string) int {
		a := cli.New()
		a.In, a.Out, a.Err, a.Terminal = strings.NewReader(""), io.Discard, io.Discard, false
		a.Env = func(string) string { return "" }
		a.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 18, 5, 0, time.UTC) }
		return a.Run(ctx, strings.Fields(command))
	}
	for _, command := range []string{
		"status -f FILE", "status -o json -f FILE", "tree -f FILE", "tree -o json -f FILE", "why -f FILE", "why -A -f FILE", "why -o json -f FILE",
		"wait --local -f FILE", "compare FILE FILE", "check FILE", "infer -f FILE",
	} {
		t.Run(command, func(t *testing.T) {
			watch := func(file string, end int) (*counting, uint64, int) {
				c := &counting{end: end}
				c.Context, c.cancel = context.WithCancel(context.Background())
				defer c.cancel()
				start := allocated()
				c.last = start
				code := run(c, strings.ReplaceAll(command, "FILE", file))
				c.Err() //nolint:errcheck // the last look
				return c, c.last - start, code
			}
			watch(few, 0) // makes what is made once
			least, _, _ := watch(few, 0)
			whole, all, _ := watch(many, 0)
			share := all/20 + least.widest + 50_000 // catalogs are loaded, and a quarter of a megabyte is decoded, whatever the input
			if whole.widest > share {
				t.Errorf("%d objects are allocated between two of %d looks, %d in all", whole.widest, whole.looks, all)
			}
			for _, part := range []int{1, 50, 95} {
				stopped, _, code := watch(many, 1+whole.looks*part/100)
				if after := stopped.last - stopped.ended; after > 2*share {
					t.Errorf("interrupted at %d %% of the looks: %d objects are allocated afterwards, %d in all", part, after, all)
				}
				if code != 130 {
					t.Errorf("interrupted at %d %% of the looks: exit code %d", part, code)
				}
			}
		})
	}
}
