// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/cli/view"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/output"
	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/wait"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/printers"
)

// options are the flags.
type options struct {
	flags.Catalogs
	flags.Connection
	files              []string
	local, everything  bool
	fieldSelector      string
	forTexts, failures []string
	count              string
	clock              view.FileClock
	goal               wait.Goal
	failedFor          time.Duration
	output, junit      string
	template           string
	missingKeys        bool
	doubt              flags.Doubt

	test    wait.Test
	printer printers.ResourcePrinter // of each object that is met, for an -o that prints objects rather than verdicts
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "wait [TYPE/NAME ...] [PATH ...]",
		Short: "Wait until objects are what they should be, or have failed",
		Long: `Wait on watches for objects, all at once: by name, by label selector, or all of a type. An object may not exist yet, nor may its type.
What a selector finds later counts from then on.

--for and --fail take these expressions:

  verdict[=WORD,...]                 the verdict is one of these (Current)
  failed                             the verdict is Failed, and rests on another condition than Stalled, after which controllers try again
  ready                              it can be relied on, though it may be Degraded
  deadline                           it reports that a deadline of its own has passed, such as progressDeadlineSeconds
  overdue                            it has been in progress for longer than its budget: its own deadline, the declared one, or 15 minutes
  condition=TYPE[=STATUS][:REASON]   a condition (True) that is not about an older generation; without a status a cell of class ok of an optional one will do
  jsonpath=PATH[=VALUE]              the value at a path, as kubectl wait takes it; without a value any
  create                             it exists
  delete                             it does not
  cel=EXPRESSION                     CEL over self, condition(self, 'Type'), after(time, duration), variables.verdict, .ready, .reason

Of several --for all must hold at once; of several --fail one is enough. Without --fail a wait ends when it has failed, or when the
object reports that a deadline of its own has passed, even if old pods still serve, as kubectl rollout status does: at once where that rests on
knowledge of the kind, and after 30s where it rests on words only, for the controller may try again (--failed-for sets one time for all).
--fail none goes on until the timeout. A wait goes on while an object is Stalled, and says so; --fail verdict=Failed ends it then, too.

The flags of kubectl wait mean the same here, so a script only changes the name: -o name, jsonpath, go-template and their like print each object
when it is met. Only -o json and yaml differ: they print the verdicts of all objects and how the wait ended, and -o jsonl prints each change.
With --local objects are judged as they are in files, once.`,
		Example: "  tristate wait deploy/web job/migrate --timeout 10m\n" +
			"  tristate wait pods -l app=web --count 80% --stable-for 30s\n" +
			"  tristate wait widget/w --for condition=Ready --fail 'condition=Ready=False:Invalid'\n" +
			"  tristate wait -f rendered/ --no-progress 2m --junit report.xml\n" +
			"  tristate wait pod/p --for jsonpath='{.status.phase}'=Running\n" +
			"  tristate wait ns/old --for delete",
		RunE: func(c *cobra.Command, args []string) error {
			queries, err := o.queries(args)
			if err != nil {
				return err
			}
			if len(o.Contexts) > 1 {
				if o.output != "" || o.junit != "" || o.local {
					return exit.Usagef("several contexts cannot be combined with -o, --junit or --local")
				}
				return inContexts(c.Context(), a, o.Contexts, func(ctx context.Context, a *app.App, name string) error {
					o := *o
					o.Context, o.Contexts = name, []string{name}
					return run(ctx, a, &o, slices.Clone(queries))
				})
			}
			return run(c.Context(), a, o, queries)
		},
	}
	o.Catalogs.Add(c.Flags())
	o.Connection.Add(c.Flags())
	o.AddTrust(c.Flags())
	f := c.Flags()
	f.StringSliceVarP(&o.files, "filename", "f", nil, "wait for the objects that files, directories or - declare")
	f.BoolVar(&o.local, "local", false, "judge what the files of --filename hold, once, and ask no cluster")
	o.clock.AddFlag(f)
	f.BoolVar(&o.everything, "all", false, "all objects of the types, which is so where neither names nor a selector are given")
	f.StringVar(&o.fieldSelector, "field-selector", "", "selector of fields, such as status.phase=Running")
	f.BoolP("recursive", "R", true, "read directories recursively")
	f.Bool("show-managed-fields", false, "accepted for kubectl's sake")
	for _, name := range []string{"recursive", "show-managed-fields"} {
		f.Lookup(name).Hidden = true
	}
	f.StringArrayVar(&o.forTexts, "for", nil, "what to wait for (default verdict=Current)")
	f.StringArrayVar(&o.failures, "fail", nil, "what to give up on, or none (default failed, deadline and cause)")
	o.doubt.Add(f, "whether an object whose verdict is in doubt is what it should be")
	f.StringVar(&o.count, "count", "", "how many objects suffice: 3, or 80% (default all)")
	f.DurationVar(&o.goal.Timeout, "timeout", 5*time.Minute, "how long to wait; 0 looks once, -1s waits for ever")
	f.DurationVar(&o.goal.ObjectTimeout, "object-timeout", 0, "how long to wait for one object, from when it is first seen")
	f.DurationVar(&o.goal.StableFor, "stable-for", 0, "how long an object must stay as it should be")
	f.DurationVar(&o.failedFor, "failed-for", -1, "how long a failure must last (default: 30s for guesses)")
	f.Lookup("failed-for").DefValue = "0s" // the help leaves that out
	f.DurationVar(&o.goal.NoProgress, "no-progress", 0, "give up when nothing has changed for so long")
	f.BoolVar(&o.goal.Superseded, "superseded", false, "give up when the spec of an awaited object is changed: its generation moves on")
	f.StringVarP(&o.output, "output", "o", "", "output: json, yaml, jsonl, "+strings.Join(objectFormats, ", "))
	f.StringVar(&o.template, "template", "", "template, or its file, of -o go-template and go-template-file")
	f.BoolVar(&o.missingKeys, "allow-missing-template-keys", true, "templates and paths print nothing for what an object does not have")
	f.StringVar(&o.junit, "junit", "", "write a JUnit report to a file")
	c.PreRunE = func(*cobra.Command, []string) error { return o.check() }
	o.Complete(c, a, &o.files, nil)
	_ = c.RegisterFlagCompletionFunc("output", flags.OneOf(append([]string{"json", "yaml", "jsonl"}, objectFormats...)...))
	return c
}

// Objects waits for objects as the command does that has these flags and arguments. Its output is that of the command: a line for each
// change, at the end those that are not met, with their causes.
func Objects(ctx context.Context, a *app.App, c flags.Catalogs, f flags.Connection, args, forTexts []string, timeout time.Duration) error {
	o := &options{Catalogs: c, Connection: f, forTexts: forTexts, failedFor: -1}
	o.goal.Timeout = timeout
	if err := o.check(); err != nil {
		return err
	}
	queries, err := o.queries(args)
	if err != nil {
		return err
	}
	return run(ctx, a, o, queries)
}

// objectFormats are the output formats that print each object when it is met, as kubectl wait does.
var objectFormats = []string{"name", "jsonpath=", "jsonpath-as-json=", "jsonpath-file=", "go-template=", "go-template-file="}

// setPrinter finds the printer of an -o that prints objects.
func (o *options) setPrinter() error {
	if o.template != "" && o.output == "" {
		o.output = "go-template"
	}
	switch o.output {
	case "", "json", "yaml", "jsonl":
		return nil
	case "name":
		o.printer = &printers.NamePrinter{ShortOutput: true}
		return nil
	}
	printer, err := output.TemplatePrinter(o.output, o.template, o.missingKeys)
	if errors.Is(err, output.ErrFormat) {
		return exit.Usagef("--output %q: use one of json, yaml, jsonl, %s", o.output, strings.Join(objectFormats, ", "))
	} else if err != nil {
		return exit.Usagef("--output %s: %w", o.output, err)
	}
	o.printer = printer
	return nil
}

// check parses the flags.
func (o *options) check() error {
	if err := o.setPrinter(); err != nil {
		return err
	}
	var errs []error
	parse := func(flag string, texts []string) (out []wait.Expression) {
		for _, text := range texts {
			e, err := wait.ParseExpression(text)
			if err != nil {
				errs = append(errs, fmt.Errorf("--%s %w", flag, err))
			}
			out = append(out, e)
		}
		return out
	}
	if err := o.doubt.Check(); err != nil {
		errs = append(errs, err)
	}
	if len(o.forTexts) == 0 {
		o.forTexts = []string{"verdict=Current"}
	}
	o.test = wait.Test{For: parse("for", o.forTexts), FailedFor: o.failedFor, Progress: o.goal.NoProgress > 0,
		Sure: o.doubt.Fails()}
	o.goal.Gone = slices.ContainsFunc(o.test.For, wait.Expression.Gone)
	switch {
	case slices.Equal(o.failures, []string{"none"}):
	case len(o.failures) > 0:
		o.test.Fail = parse("fail", o.failures)
	case !o.goal.Gone:
		o.test.Fail = parse("fail", wait.Failures())
	}
	if o.count != "" {
		var err error
		if o.goal.Count, o.goal.Percent, err = wait.ParseCount(o.count); err != nil {
			errs = append(errs, fmt.Errorf("--count %w", err))
		}
	}
	for flag, d := range map[string]time.Duration{"object-timeout": o.goal.ObjectTimeout, "stable-for": o.goal.StableFor,
		"no-progress": o.goal.NoProgress} {
		if d < 0 {
			errs = append(errs, fmt.Errorf("--%s %s is negative", flag, d))
		}
	}
	if len(errs) > 0 {
		slices.SortStableFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return exit.With(exit.Usage, errors.Join(errs...))
	}
	if _, err := fields.ParseSelector(o.fieldSelector); err != nil {
		return exit.Usagef("--field-selector: %w", err)
	}
	if _, err := labels.Parse(o.Selector); err != nil {
		return exit.Usagef("--selector: %w", err)
	}
	if err := o.clock.Check(o.local); err != nil {
		return err
	}
	if o.local {
		if o.fieldSelector != "" {
			return exit.Usagef("--field-selector needs a cluster: leave --local out")
		}
	}
	o.goal.Once = o.goal.Timeout == 0 || o.local
	o.Data = o.test.ReadsData() || o.printer != nil && o.output != "name"
	return nil
}

// queries returns the queries of the arguments.
func (o *options) queries(args []string) ([]cluster.Query, error) {
	paths, args := flags.SplitPaths(args)
	o.files = append(o.files, paths...)
	switch {
	case o.local && len(o.files) == 0:
		return nil, exit.Usagef("--local judges files: name them with --filename")
	case len(args) == 0 && len(o.files) == 0:
		return nil, exit.Usagef("name objects as TYPE/NAME, types, or files that declare them with --filename")
	case len(args) > 0 && len(o.files) > 0 && !o.local:
		return nil, exit.Usagef("either name objects or the files that declare them; to judge what files hold, add --local")
	}
	targets, err := flags.ParseTargets(args)
	if err != nil {
		return nil, err
	}
	var out []cluster.Query
	named := 0
	for _, t := range targets {
		q := cluster.Query{Type: t.Type, Name: t.Name, Selector: o.Selector, Fields: o.fieldSelector}
		if !slices.Contains(out, q) {
			out = append(out, q)
		}
		switch {
		case t.Name == "":
			continue
		case o.Selector != "" || o.fieldSelector != "":
			return nil, exit.Usagef("a selector chooses among all objects of a type: leave the names out")
		case o.everything:
			return nil, exit.Usagef("--all means all objects of a type: leave the names out")
		case o.AllNamespaces:
			return nil, exit.Usagef("%s/%s is one object: leave -A out", t.Type, t.Name)
		}
		named++
	}
	if o.goal.Count > len(out) && named > 0 && named == len(targets) && len(o.files) == 0 {
		return nil, exit.Usagef("--count %d is more than the %s named", o.goal.Count, english.Count(len(out), "object"))
	}
	return out, nil
}
