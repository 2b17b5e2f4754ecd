// SPDX-License-Identifier: Apache-2.0

package stage

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/proof/plane"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// Patience bounds every wait.
const Patience = 5 * time.Minute

// Stage is where a story is played.
type Stage struct {
	Config    *rest.Config  // of the control plane
	API       client.Client // without a cache
	Namespace string        // of the story
	Out       io.Writer

	kubeconfig string // for the commands
	versions   map[string]string
	pace       time.Duration
	samples    string // folder
	stays      bool
	operator   Operator
	ahead      atomic.Int64 // nanoseconds that the clock is ahead
	step       int
	title      string // of the step
	err        error  // of the first part of the story that failed
	cleanups   []func() error
}

// Now returns the time by the clock of the operator and of the commands.
func (s *Stage) Now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// Address returns an address of this machine for a server around the operator: one that is free, and that of the samples while the stage
// stays up, which is 127.0.0.1 with the port.
func (s *Stage) Address(port int) (string, error) {
	if s.stays {
		return fmt.Sprintf("127.0.0.1:%d", port), nil
	}
	return plane.Free()
}

// Do plays a part of the story, unless one before it has failed: then nothing more is played, and the story ends with that error. So do all
// methods of a stage that return none.
func (s *Stage) Do(part func() error) {
	if s.err == nil {
		s.err = part()
	}
}

// Later moves the clock, and wakes the operator.
func (s *Stage) Later(ctx context.Context, by time.Duration) {
	s.Do(func() error {
		s.ahead.Add(int64(by))
		return s.operator.Wake(ctx)
	})
}

// Say begins a step.
func (s *Stage) Say(text string) {
	if s.err != nil {
		return
	}
	time.Sleep(s.pace)
	s.step++
	s.title = text
	fmt.Fprintf(s.Out, "\n══ %d. %s\n", s.step, text)
}

// Object returns an object of a kind of [Demo].Versions in the namespace of the story, without content; the API server ignores the
// namespace of a kind without one.
func (s *Stage) Object(kind, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(s.versions[kind])
	u.SetKind(kind)
	u.SetNamespace(s.Namespace)
	u.SetName(name)
	return u
}

// Apply creates objects from YAML, and prints it. A kind of [Demo].Versions needs no apiVersion.
func (s *Stage) Apply(ctx context.Context, documents ...string) {
	for _, text := range documents {
		s.Do(func() error {
			fmt.Fprintln(s.Out, "  "+strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  "))
			u := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
				return err
			}
			if u.GetAPIVersion() == "" {
				u.SetAPIVersion(s.versions[u.GetKind()])
			}
			u.SetNamespace(s.Namespace)
			return s.API.Create(ctx, u)
		})
	}
}

// Patch edits an object, and prints the command. Secrets in the patch are printed as an ellipsis.
func (s *Stage) Patch(ctx context.Context, kind, name, patch string, secrets ...string) {
	printed := patch
	for _, secret := range secrets {
		printed = strings.ReplaceAll(printed, secret, "…")
	}
	s.Do(func() error {
		fmt.Fprintf(s.Out, "  $ kubectl patch %s/%s --type merge -p '%s'\n", strings.ToLower(kind), name, printed)
		return s.API.Patch(ctx, s.Object(kind, name), client.RawPatch(types.MergePatchType, []byte(patch)))
	})
}

// Reach waits until an object has all cells, each as "Type=Status Reason".
func (s *Stage) Reach(ctx context.Context, kind, name string, cells ...string) {
	s.Until(ctx, func() error {
		u := s.Object(kind, name)
		if err := s.API.Get(ctx, client.ObjectKeyFromObject(u), u); err != nil {
			return err
		}
		list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		var have []string
		for _, c := range list {
			if c, ok := c.(map[string]any); ok {
				have = append(have, fmt.Sprintf("%v=%v %v", c["type"], c["status"], c["reason"]))
			}
		}
		for _, cell := range cells {
			if !slices.Contains(have, cell) {
				return fmt.Errorf("%s/%s has %s, not %s", kind, name, strings.Join(have, ", "), cell)
			}
		}
		return nil
	})
}

// Until repeats a check until it holds.
func (s *Stage) Until(ctx context.Context, check func() error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	s.Do(func() error {
		for {
			err := check()
			if err == nil {
				return nil
			}
			select {
			case <-ctx.Done():
				return err
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
}

// Wait runs tristate wait for objects.
func (s *Stage) Wait(ctx context.Context, objects ...string) {
	s.Do(func() error {
		if code := s.run(ctx, append([]string{"wait"}, append(objects, "--timeout", Patience.String())...)...); code != 0 {
			return fmt.Errorf("tristate wait %s: exit code %d", strings.Join(objects, " "), code)
		}
		return nil
	})
}

// Show runs a command of tristate and prints it with its output, whatever its exit code is.
func (s *Stage) Show(ctx context.Context, args ...string) {
	s.Do(func() error {
		s.run(ctx, args...)
		return nil
	})
}

func (s *Stage) run(ctx context.Context, args ...string) (code int) {
	args = append(args, "-n", s.Namespace)
	fmt.Fprintf(s.Out, "  $ tristate %s\n", strings.Join(args, " "))
	var out bytes.Buffer
	app := cli.New()
	app.Out, app.Err, app.Now = &out, &out, s.Now
	code = app.Run(ctx, append(args, "--kubeconfig", s.kubeconfig))
	for line := range strings.Lines(out.String()) {
		fmt.Fprint(s.Out, "  ", line)
	}
	return code
}
