// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/plane"
	"github.com/tristate/tristate/internal/story"
	"github.com/tristate/tristate/stories"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// demoOptions are those of the demo.
type demoOptions struct {
	binary string
	keep   bool
	pace   time.Duration
}

func (a *App) demo() *cobra.Command {
	o := &demoOptions{}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Start a control plane and play the Cluster API stories on it",
		Long: "Start a real API server on this machine (bin/localplane), install the Cluster API definitions, start tristate run beside it, and play the " +
			"provisioning, a failure with its repair, and an upgrade. Nothing is left running, unless --keep.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.runDemo(c.Context(), o) },
	}
	c.Flags().StringVar(&o.binary, "localplane", "", "the control plane binary (default bin/localplane of this repository)")
	c.Flags().BoolVar(&o.keep, "keep", false, "leave the control plane up, and the objects of the last story")
	c.Flags().DurationVar(&o.pace, "pace", 700*time.Millisecond, "wait after each tree and note")
	return c
}

func (a *App) runDemo(ctx context.Context, o *demoOptions) (err error) {
	a.slow.Store(true) // it stops the control plane
	start := a.Now()
	fmt.Fprintln(a.Out, "starting a control plane (etcd, kube-apiserver, kube-controller-manager) …")
	p, err := plane.Start(ctx, plane.Options{Binary: o.binary, Detach: o.keep})
	if err != nil {
		return err
	}
	if !o.keep {
		defer func() {
			if stopErr := p.Stop(); err == nil {
				err = stopErr
			}
		}()
	}
	if err := install(ctx, p.Config()); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "it answers at %s after %.1f s; starting tristate run …\n", p.Config().Host, a.Now().Sub(start).Seconds())
	set, err := (&catalogFlags{}).load()
	if err != nil {
		return err
	}
	manage := strings.Join(kindNames(managedKinds(set)), ",")
	stop, err := startRun(ctx, p.Kubeconfig(), manage)
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := stop(); err == nil {
			err = stopErr
		}
	}()
	var coverage story.Coverage
	writes, played := 0, 0
	for i, name := range stories.Demo() {
		data, err := stories.FS.ReadFile(name)
		if err != nil {
			return err
		}
		s, err := story.Parse(name, data)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "\n══ %s ══\n", s.Name())
		pl := &player{app: a, set: set, options: &playOptions{pace: o.pace}, coverage: &coverage, keep: o.keep && i == len(stories.Demo())-1}
		if err := pl.play(ctx, p.Config(), s); err != nil {
			return fmt.Errorf("story %s: %w", s.Name(), err)
		}
		writes += pl.writes
		played++
	}
	report := coverage.Report(set)
	fmt.Fprintf(a.Out, "\n%d stories played on a real API server in %.0f s: %d writes by Tristate, %d of %d declared statuses seen. Every condition above the leaves was derived.\n",
		played, a.Now().Sub(start).Seconds(), writes, len(report.Statuses.Reached), report.Statuses.Declared())
	if o.keep {
		a.lookAround(p, manage)
	}
	return nil
}

func (a *App) lookAround(p *plane.Plane, manage string) {
	fmt.Fprintf(a.Out, `
The control plane stays up. To look around:
  export KUBECONFIG=%s
  bin/tristate tree clusters -A
  bin/tristate run --manage %s &           # derives again
  bin/tristate play --live cluster-api/scale-workers
To stop it:
  kill %d
`, p.Kubeconfig(), manage, p.PID())
}

// startRun starts this command's run in a process of its own, as a user would.
func startRun(ctx context.Context, kubeconfig, manage string) (stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, self, "run", "--kubeconfig", kubeconfig, "--manage", manage, "--until-eof")
	cmd.Args[0] = "tristate"
	cmd.Stderr = &log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	lifeline, err := cmd.StdinPipe() // closes when this process ends, however it ends
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() error {
		if err := lifeline.Close(); err != nil {
			return err
		}
		if err := cmd.Wait(); err != nil && ctx.Err() == nil {
			return fmt.Errorf("tristate run: %w\n%s", err, log.String())
		}
		return nil
	}, nil
}

// install applies the definitions of the catalogs' kinds and waits until they are served.
func install(ctx context.Context, config *rest.Config) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	documents := [][]byte{catalog.CRDYAML}
	files, err := filesOf(catalogs.CRDs)
	if err != nil {
		return err
	}
	documents = append(documents, files...)
	crds := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	var names []string
	for _, data := range documents {
		decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
		for {
			var crd unstructured.Unstructured
			if err := decoder.Decode(&crd.Object); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
			if len(crd.Object) == 0 {
				continue
			}
			if _, err := crds.Create(ctx, &crd, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("install %s: %w", crd.GetName(), err)
			}
			names = append(names, crd.GetName())
		}
	}
	for _, name := range names {
		if err := established(ctx, crds, name); err != nil {
			return err
		}
	}
	return nil
}

func established(ctx context.Context, crds dynamic.ResourceInterface, name string) error {
	for {
		crd, err := crds.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		list, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
		for _, c := range list {
			if m, _ := c.(map[string]any); m["type"] == "Established" && m["status"] == "True" {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
