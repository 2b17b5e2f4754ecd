// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/all"
	"github.com/tristate/tristate/internal/check/coverage"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/check/report"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/systems"
)

// options are the flags.
type options struct {
	catalogs   flags.Catalogs
	clock      view.FileClock
	paths      []string
	sources    []string
	history    []string
	against    string
	exceptions []string
	baseline   string
	write      bool
	only, skip []string
	output     string
	failOn     string
	level      string
	list       bool
	coverage   bool
	explain    string
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "check [PATH ...]",
		Short: "Check catalogs, definitions, code, documents and objects against each other",
		Long: "Compare everything that is about conditions with what the catalogs declare.\n\n" +
			"Each PATH is a file, a folder, or - for standard input, and is recognised by its content: catalogs, CustomResourceDefinitions, " +
			"exceptions, Markdown,\n" +
			"rules of Prometheus, configuration of kube-state-metrics, health scripts in Lua, code that tristate gen wrote, and otherwise " +
			"objects. A check runs where\n" +
			"the evidence that it needs is there, and is skipped otherwise; the last line names the checks that were skipped and the evidence " +
			"that they need. Without a PATH the\n" +
			"current folder is checked. With --against, each change since the earlier catalogs is classified as tristate diff does: a breaking " +
			"one is an error, one that needs a note a warning.",
		Example: "  tristate check catalogs/ crds/\n  tristate check catalogs/ --source .             # Go modules below it\n" +
			"  tristate check catalogs/ --against git:main:catalogs -o github\n  tristate check dump.json                        # live objects, " +
			"offline\n" +
			"  tristate check --explain crd/list-map-by-type",
		RunE: func(c *cobra.Command, args []string) error {
			if o.paths = args; len(args)+len(o.sources)+len(o.history) == 0 {
				o.paths = []string{"."}
			}
			return run(c.Context(), a, o)
		},
	}
	f := c.Flags()
	o.catalogs.Add(f)
	o.clock.AddFlag(f)
	f.StringArrayVar(&o.sources, "source", nil, "folder of Go code to scan; needs the go command")
	f.StringArrayVar(&o.history, "history", nil, "file with what was seen of objects over time, as kubectl get --watch -o json prints it")
	f.StringVar(&o.against, "against", "", "earlier catalogs: a file, a folder, or git:REVISION:PATH")
	f.StringArrayVar(&o.exceptions, "exceptions", nil, "file with exceptions (kind CheckExceptions); those among the paths count, too")
	f.StringVar(&o.baseline, "baseline", "", "file with known findings, which do not fail")
	f.BoolVar(&o.write, "write-baseline", false, "write the file of --baseline: all findings where it does not exist, otherwise without "+
		"those that are gone")
	f.StringSliceVar(&o.only, "only", nil, "only these checks, as crd/* or live/status-value")
	f.StringSliceVar(&o.skip, "skip", nil, "not these checks")
	f.StringVarP(&o.output, "output", "o", "text", "text, json, sarif, junit or github")
	f.StringVar(&o.failOn, "fail-on", "error", "the level from which on findings fail: error, warning or info")
	f.StringVar(&o.level, "level", "warning", "the level from which on findings are printed: error, warning or info")
	f.BoolVar(&o.list, "list", false, "list the checks")
	f.BoolVar(&o.coverage, "coverage", false, "with -o text or json, count the declared cells that code gives, objects show and "+
		"documents list")
	f.StringVar(&o.explain, "explain", "", "print the documentation of a check")
	for flag, words := range map[string][]string{"only": patterns(), "skip": patterns(), "explain": ids(),
		"output":  {"text", "json", "sarif", "junit", "github"},
		"fail-on": {"error", "warning", "info"}, "level": {"error", "warning", "info"}} {
		_ = c.RegisterFlagCompletionFunc(flag, flags.OneOf(words...)) // the flags exist
	}
	return c
}

// ids returns the ids of the checks.
func ids() []string {
	var out []string
	for _, c := range all.Checks {
		out = append(out, c.ID)
	}
	return out
}

// patterns returns the ids of the checks, and a pattern for each family.
func patterns() []string {
	var out []string
	for _, c := range all.Checks {
		out = append(out, c.Family()+"/*")
	}
	slices.Sort(out)
	return append(slices.Compact(out), ids()...)
}

func run(ctx context.Context, a *app.App, o *options) error {
	failOn, err := levelOf("fail-on", o.failOn)
	if err != nil {
		return err
	}
	level, err := levelOf("level", o.level)
	if err != nil {
		return err
	}
	if err := o.clock.Check(true); err != nil {
		return err
	}
	checks, err := o.choose()
	if err != nil {
		return err
	}
	switch {
	case !slices.Contains([]string{"text", "json", "sarif", "junit", "github"}, o.output):
		return exit.Usagef("--output %q is not text, json, sarif, junit or github", o.output)
	case o.coverage && o.output != "text" && o.output != "json":
		return exit.Usagef("--coverage needs --output text or json")
	case o.write && o.baseline == "":
		return exit.Usagef("--write-baseline needs --baseline FILE")
	case o.explain != "":
		return explainCheck(a, o.explain)
	case o.list:
		return listChecks(a, checks)
	}
	e, err := read(ctx, a, o)
	if err != nil {
		return err
	}
	baseline, err := o.readBaseline()
	if err != nil {
		return err
	}
	o.clock.ReadAt = a.Now()
	for _, x := range e.Objects {
		o.clock.Saw(x.Content)
	}
	r := check.Run(e, checks, check.Options{Now: a.Now(), At: o.clock.App(a).Now(), Exceptions: e.Exceptions, Baseline: baseline})
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := o.ran(r); err != nil {
		return err
	}
	if o.write {
		if err := os.WriteFile(o.baseline, baseline.Next(r).Encode(), 0o644); err != nil {
			return fmt.Errorf("write baseline: %w", err)
		}
	}
	if err := printReport(a, o, r, e, level); err != nil {
		return err
	}
	if len(r.Findings(failOn)) > 0 && !(o.write && baseline == nil) {
		return exit.With(exit.Findings, nil)
	}
	return nil
}

func printReport(a *app.App, o *options, r *check.Report, e *evidence.Evidence, level check.Level) error {
	var data []byte
	var err error
	var covered []coverage.Kind
	if o.coverage {
		covered = coverage.Of(e)
	}
	switch o.output {
	case "json":
		data, err = report.JSON(r, covered)
	case "sarif":
		data, err = report.SARIF(r)
	case "junit":
		data, err = report.JUnit(r, e.Files, level)
	case "github":
		data = []byte(report.GitHub(r, level))
	default:
		data = []byte(report.Text(r, e.Files, level))
		if text := coverage.Text(covered); text != "" {
			data = append(append(data, '\n'), text...)
		}
	}
	if err != nil {
		return err
	}
	_, err = a.Out.Write(data)
	return err
}

func levelOf(flag, word string) (check.Level, error) {
	switch l := check.Level(strings.ToLower(word)); l {
	case check.Error, check.Warning, check.Info:
		return l, nil
	}
	return "", exit.Usagef("--%s %q is not error, warning or info", flag, word)
}

// choose returns the checks that --only and --skip leave. A pattern that no check matches is an error.
func (o *options) choose() ([]*check.Check, error) {
	for _, p := range slices.Concat(o.only, o.skip) {
		if _, err := path.Match(p, ""); err != nil {
			return nil, exit.Usagef("%q is not a pattern of checks: %v", p, err)
		}
		if !slices.ContainsFunc(all.Checks, func(c *check.Check) bool { return matches(p, c) }) {
			return nil, exit.Usagef("no check is called %s; %s check --list shows them", p, "tristate")
		}
	}
	var out []*check.Check
	for _, c := range all.Checks {
		chosen := len(o.only) == 0 || matchesAny(o.only, c) || c.Family() == "check"
		if chosen && !matchesAny(o.skip, c) {
			out = append(out, c)
		}
	}
	return out, nil
}

// ran refuses a run in which no check that a pattern of --only chooses had the evidence that it needs.
func (o *options) ran(r *check.Report) error {
	for _, p := range o.only {
		var missing evidence.Need
		ran := false
		for _, result := range r.Results {
			if matches(p, result.Check) {
				ran = ran || result.Outcome != check.Skipped
				missing |= result.Missing
			}
		}
		if !ran && missing != 0 {
			return exit.Usagef("--only %s: there is no evidence to run it on: no %s", p, strings.Join(missing.Names(), ", no "))
		}
	}
	return nil
}

func matchesAny(patterns []string, c *check.Check) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, c) })
}

// matches reports whether a pattern chooses a check. One that is no pattern chooses none.
func matches(pattern string, c *check.Check) bool {
	ok, err := path.Match(pattern, c.ID)
	return err == nil && ok
}

// read reads the files that the command line names.
func read(ctx context.Context, a *app.App, o *options) (*evidence.Evidence, error) {
	e := evidence.New()
	e.Stop = func() bool { return ctx.Err() != nil }
	if err := e.Read(o.paths, a.In); err != nil {
		return nil, exit.With(exit.NotFound, err)
	}
	if err := e.Except(o.exceptions, a.In); err != nil {
		return nil, exit.With(exit.NotFound, err)
	}
	if err := e.Observe(o.history, a.In); err != nil {
		return nil, exit.With(exit.NotFound, err)
	}
	if o.against != "" {
		before, err := flags.ReadAt(o.against)
		if err != nil {
			return nil, err
		}
		for name, data := range before {
			e.AddBefore(name, data)
		}
	}
	if err := scan(ctx, a, e, o.sources); err != nil {
		return nil, err
	}
	context := map[string][]byte{}
	for _, p := range o.catalogs.Paths {
		more, err := flags.ReadPath(p)
		if err != nil {
			return nil, err
		}
		for name, data := range more {
			context[name] = data
		}
	}
	if !o.catalogs.NoEmbedded {
		embedded, err := catalog.ReadFS(systems.Catalogs, ".")
		if err != nil {
			return nil, err
		}
		for name, data := range embedded {
			context["embedded:"+name] = data
		}
	}
	e.Join(context)
	return e, nil
}

func (o *options) readBaseline() (*check.Baseline, error) {
	if o.baseline == "" {
		return nil, nil
	}
	data, err := os.ReadFile(o.baseline)
	if errors.Is(err, fs.ErrNotExist) && o.write {
		return nil, nil
	}
	if err != nil {
		return nil, exit.With(exit.NotFound, err)
	}
	return check.ParseBaseline(o.baseline, data)
}

// scan adds the conditions that code below folders writes. Code that cannot be read is an error, and a folder without any is an input that
// holds nothing.
func scan(ctx context.Context, a *app.App, e *evidence.Evidence, folders []string) error {
	for _, dir := range folders {
		info, err := os.Stat(dir)
		if err != nil {
			return exit.With(exit.NotFound, err)
		}
		if !info.IsDir() {
			return exit.Usagef("--source %s is not a folder", dir)
		}
		found, err := a.Scan(ctx, dir)
		if err != nil {
			return err
		}
		e.Scanned(dir, found...)
	}
	return nil
}

func listChecks(a *app.App, checks []*check.Check) error {
	width := 0
	for _, c := range checks {
		width = max(width, len(c.ID))
	}
	for _, c := range checks {
		if _, err := fmt.Fprintf(a.Out, "%-*s  %-7s  %s\n", width, c.ID, c.Level, c.Title); err != nil {
			return err
		}
	}
	return nil
}

func explainCheck(a *app.App, id string) error {
	c := all.Find(id)
	if c == nil {
		return exit.Usagef("there is no check %q", id)
	}
	_, err := a.Out.Write(report.Page(c))
	return err
}
