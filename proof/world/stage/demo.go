// SPDX-License-Identifier: Apache-2.0

package stage

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/go-logr/logr"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Demo is a program that plays a story on a control plane of its own.
type Demo struct {
	Name      string            // of the program
	Namespace string            // of the story
	Versions  map[string]string // apiVersion by kind of the story
	CRDs      fs.FS             // every file in it is a CustomResourceDefinition
	Scheme    func() (*runtime.Scheme, error)
	// Story returns the story for a stage.
	Story func(*Stage) Story
	// First is the file with the first objects of a newcomer, below the root of the repository: with --stay nothing else is played.
	First string
}

// Story is the part of a demo that is its own.
type Story interface {
	// Raise creates the namespaces, starts everything around the operator, which ends with the context or by [Stage.Cleanup], and returns the
	// operator.
	Raise(ctx context.Context) (Operator, error)
	// Chapters are played one after the other while the operator runs.
	Chapters() []func(context.Context)
	// Stay plays the surroundings of the operator while the stage stays up. It ends with the context.
	Stay(ctx context.Context)
}

// Operator is the operator of a story.
type Operator interface {
	Start(context.Context) error // runs it until the context ends
	Wake(context.Context) error  // after the clock was moved
	Writes() int                 // of statuses
}

// Options configure where a story is played.
type Options struct {
	Localplane string // the control plane; empty: bin/localplane of the repository
	Pace       time.Duration
	Out        io.Writer
	Samples    string // the folder that [Stage.Sample] writes to; empty: none
	// Stay plays no chapter, and keeps everything up until the context ends. nil: the chapters are played. It is called with the kubeconfig
	// once everything is up.
	Stay func(kubeconfig string)
}

// Main is the program of a demo. It returns its exit code.
func (d Demo) Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := Options{Out: stdout}
	flags := flag.NewFlagSet(d.Name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Localplane, "localplane", "", "the control plane binary (default bin/localplane of this repository)")
	flags.DurationVar(&o.Pace, "pace", 700*time.Millisecond, "wait after each step")
	stay := flags.Bool("stay", false, "play nothing, and keep everything up for objects of your own until interrupted")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exit.Usage
	}
	if *stay {
		o.Stay = func(kubeconfig string) { fmt.Fprintf(stdout, staying, kubeconfig, d.First, d.First) }
	}
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	if err := d.Run(ctx, o); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", d.Name, err)
		return exit.Failed
	}
	return 0
}

// staying is printed once everything is up.
const staying = `The API server, the operator and everything around it are up. In another terminal:

  export KUBECONFIG=%s
  kubectl apply -f %s
  tristate wait -f %s

An interrupt ends everything.
`

// Run plays the story.
func (d Demo) Run(ctx context.Context, o Options) (err error) {
	ctrl.SetLogger(logr.Discard())
	start := time.Now()
	fmt.Fprintln(o.Out, "starting a control plane with a node …")
	p, err := plane.Start(ctx, plane.Options{Binary: o.Localplane, Nodes: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	ctx, cancel := context.WithCancel(ctx)
	s := &Stage{Config: p.Config(), Namespace: d.Namespace, Out: o.Out, kubeconfig: p.Kubeconfig(), versions: d.Versions, pace: o.Pace,
		samples: o.Samples, stays: o.Stay != nil}
	defer func() { cancel(); err = errors.Join(err, s.end()) }()
	if err := s.furnish(ctx, d); err != nil {
		return err
	}
	plane.Slow(s.Config) // the operator's from now on
	story := d.Story(s)
	if s.operator, err = story.Raise(ctx); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.operator.Start(ctx) }()
	s.Cleanup(func() error { return <-ended })
	if o.Stay != nil {
		o.Stay(p.Kubeconfig())
		story.Stay(ctx)
		return nil
	}
	for _, chapter := range story.Chapters() {
		if chapter(ctx); s.err != nil {
			return fmt.Errorf("%s %w", s.title, s.err)
		}
	}
	fmt.Fprintf(o.Out, "\nThe story took %.0f s. The operator wrote %d statuses: one request for each that changed, none for any that "+
		"did not.\n",
		time.Since(start).Seconds(), s.operator.Writes())
	return nil
}

// furnish creates the definitions and the client.
func (s *Stage) furnish(ctx context.Context, d Demo) error {
	err := fs.WalkDir(d.CRDs, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(d.CRDs, path)
		if err != nil {
			return err
		}
		return live.Install(ctx, s.Config, data)
	})
	if err != nil {
		return err
	}
	scheme, err := d.Scheme()
	if err != nil {
		return err
	}
	s.API, err = client.New(s.Config, client.Options{Scheme: scheme})
	return err
}

// Create creates objects without printing anything.
func (s *Stage) Create(ctx context.Context, objects ...client.Object) error {
	for _, o := range objects {
		if err := s.API.Create(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// Cleanup adds a function that is called after the operator has ended; the one that was added last is called first.
func (s *Stage) Cleanup(f func() error) { s.cleanups = append(s.cleanups, f) }

func (s *Stage) end() error {
	var errs []error
	for i := len(s.cleanups) - 1; i >= 0; i-- {
		errs = append(errs, s.cleanups[i]())
	}
	return errors.Join(errs...)
}
