// SPDX-License-Identifier: Apache-2.0

package story

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
)

// ErrSkipped is returned by Run for a story that its world cannot run.
var ErrSkipped = errors.New("skipped")

// Runner runs a story in an empty world. Only World is required.
type Runner struct {
	World World
	// Observe is called before and after each step.
	Observe func(Event)
	// Coverage collects the cells present after each settle.
	Coverage *Coverage
	// Update makes the command tree write its result into the archive, see [Story.Format].
	Update bool

	asked  int // writes when last asked
	agents []agent
}

// Event is a step before or after it is run.
type Event struct {
	Index int
	Step  Step
	World World
	Done  bool
	Err   error         // of the step, once done
	Took  time.Duration // in the world's time, once done
}

// Run checks the story and runs it. It returns all errors joined, an [Error] each.
func (r *Runner) Run(ctx context.Context, s *Story) error {
	c := checker{story: s, set: r.World.Catalogs()}
	if err := c.check(); err != nil {
		return err
	}
	if s.VirtualTime() && !r.World.Virtual() {
		return fmt.Errorf("%s: %w: it needs virtual time", s.File, ErrSkipped)
	}
	r.asked, r.agents = r.World.Writes(), nil
	var errs []error
	for i, step := range s.Steps {
		e := Event{Index: i, Step: step, World: r.World}
		r.observe(e)
		start := r.World.Now()
		err := r.step(ctx, c, step.Command)
		if err == nil {
			err = r.look(ctx, step.Command)
		}
		e.Done, e.Err, e.Took = true, err, r.World.Now().Sub(start)
		r.observe(e)
		if err == nil {
			continue
		}
		errs = append(errs, &Error{s.File, step.Line, err.Error(), err})
		var expectation *failure
		if !errors.As(err, &expectation) {
			break
		}
	}
	return errors.Join(errs...)
}

// look lets the agents look at the world after a command that can have changed it.
func (r *Runner) look(ctx context.Context, command Command) error {
	switch command.(type) {
	case Apply, Set, Delete, Observe:
		for _, a := range r.agents {
			if err := a.look(ctx); err != nil {
				return fmt.Errorf("agent of %s: %w", a.controlPlane, err)
			}
		}
	}
	return nil
}

func (r *Runner) observe(e Event) {
	if r.Observe != nil {
		r.Observe(e)
	}
}

// failure is an expectation that was not met, after which the story continues.
type failure struct{ text string }

func (f *failure) Error() string { return f.text }

func failf(format string, args ...any) error { return &failure{fmt.Sprintf(format, args...)} }

func (r *Runner) step(ctx context.Context, c checker, command Command) error {
	switch cmd := command.(type) {
	case Apply:
		return r.apply(ctx, c.story, cmd)
	case Settle:
		return r.settle(ctx)
	case Sleep:
		return r.World.Sleep(ctx, cmd.For)
	case Writes:
		return r.writes(cmd.N)
	case Quiet:
		return r.quiet(ctx)
	case Report:
		id, condition, err := c.report(cmd)
		switch {
		case err != nil:
			return err
		case cmd.Remove:
			return r.World.Retract(ctx, id, cmd.Type)
		}
		return r.World.Report(ctx, id, condition)
	case Expect:
		id, err := c.id(cmd.Ref)
		if err != nil {
			return err
		}
		return r.expect(ctx, id, cmd)
	}
	return r.object(ctx, c, command)
}

// object runs the commands about one object.
func (r *Runner) object(ctx context.Context, c checker, command Command) error {
	var ref Ref
	var do func(relation.ID) error
	switch cmd := command.(type) {
	case Delete:
		ref, do = cmd.Ref, func(id relation.ID) error { return r.World.Delete(ctx, id) }
	case SetStatus:
		ref, do = cmd.Ref, func(id relation.ID) error { return r.World.PatchStatus(ctx, id, cmd.Patch) }
	case Set:
		ref, do = cmd.Ref, func(id relation.ID) error { return r.World.Patch(ctx, id, cmd.Patch) }
	case Observe:
		ref, do = cmd.Ref, func(id relation.ID) error {
			r.agents = append(r.agents, agent{r.World, id})
			return nil
		}
	case Gone:
		ref, do = cmd.Ref, func(id relation.ID) error { return r.gone(ctx, id) }
	case Tree:
		ref, do = cmd.Ref, func(id relation.ID) error { return r.tree(ctx, c.story, id, cmd) }
	default: // Note, Needs
		return nil
	}
	id, err := c.id(ref)
	if err != nil {
		return err
	}
	return do(id)
}

func (r *Runner) apply(ctx context.Context, s *Story, a Apply) error {
	for _, name := range a.Files {
		for _, o := range s.objects[name] {
			if err := r.World.Apply(ctx, o.Content); err != nil {
				return fmt.Errorf("%s (line %d): %w", name, o.Line, err)
			}
		}
	}
	return nil
}

func (r *Runner) settle(ctx context.Context) error {
	objects, err := r.World.Settle(ctx)
	if err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	if r.Coverage != nil {
		r.Coverage.Add(r.World.Catalogs(), objects)
	}
	if found := Violations(r.World.Catalogs(), objects, r.World.Now()); len(found) > 0 {
		return failf("invariant broken: %s", found[0])
	}
	return nil
}
