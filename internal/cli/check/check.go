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

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/all"
	"github.com/tristate/tristate/internal/check/coverage"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/check/report"
)

// options are the flags.
type options struct {
	catalogs   flags.Catalogs
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
			"Each PATH is a file, a folder, or - for standard input, and is recognised by its content: catalogs, CustomResourceDefinitions, exceptions, Markdown,\n" +
			"rules of Prometheus, configuration of kube-state-metrics, health scripts in Lua, code that tristate gen wrote, and otherwise objects. A check runs where\n" +
			"the evidence that it needs is there, and is skipped otherwise; the last line names the checks that were skipped and the evidence that they need. Without a PATH the catalogs that come with the command\n" +
			"are checked. With --against, each change since the earlier catalogs is classified as tristate diff does: a breaking one is an error, one that needs a note a warning.",
		Example: "  tristate check catalogs/ crds/\n  tristate check catalogs/ --source .             # Go packages, Rust and other code below it\n" +
			"  tristate check catalogs/ --against git:main:catalogs -o github\n  tristate check dump.json                        # live objects, offline\n" +
			"  tristate check --explain crd/list-map-by-type",
		RunE: func(c *cobra.Command, args []string) error {
			o.paths = args
			return run(c.Context(), a, o)
		},
	}
	f := c.Flags()
	o.catalogs.Add(f)
	f.StringArrayVar(&o.sources, "source", nil, "folder of code to scan; needs the go command where it holds a Go module")
	f.StringArrayVar(&o.history, "history", nil, "file with what was seen of objects over time, as kubectl get --watch -o json prints it")
	f.StringVar(&o.against, "against", "", "earlier catalogs: a file, a folder, or git:REVISION:PATH")
	f.StringArrayVar(&o.exceptions, "exceptions", nil, "file with exceptions (kind CheckExceptions); those among the paths count, too")
	f.StringVar(&o.baseline, "baseline", "", "file with known findings, which do not fail")
	f.BoolVar(&o.write, "write-baseline", false, "write the file of --baseline: all findings where it does not exist, otherwise without those that are gone")
	f.StringSliceVar(&o.only, "only", nil, "only these checks, as crd/* or live/status-value")
	f.StringSliceVar(&o.skip, "skip", nil, "not these checks")
	f.StringVarP(&o.output, "output", "o", "text", "text, json, sarif, junit or github")
	f.StringVar(&o.failOn, "fail-on", "error", "the level from which on findings fail: error, warning or info")
	f.StringVar(&o.level, "level", "warning", "the level from which on findings are printed: error, warning or info")
	f.BoolVar(&o.list, "list", false, "list the checks")
	f.BoolVar(&o.coverage, "coverage", false, "with -o text or json, count the declared cells that code gives, objects show and documents list")
	f.StringVar(&o.explain, "explain", "", "print the documentation of a check")
	return c
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
	r := check.Run(e, checks, check.Options{Now: a.Now(), Exceptions: e.Exceptions, Baseline: baseline})
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

// choose returns the checks that --only and --skip leave.
func (o *options) choose() ([]*check.Check, error) {
	matches := func(patterns []string, id string) (bool, error) {
		for _, p := range patterns {
			ok, err := path.Match(p, id)
			if err != nil {
				return false, exit.Usagef("%q is not a pattern of checks: %v", p, err)
			}
			if ok {
				return true, nil
			}
		}
		return false, nil
	}
	var out []*check.Check
	for _, c := range all.Checks {
		only, err := matches(o.only, c.ID)
		if err != nil {
			return nil, err
		}
		skip, err := matches(o.skip, c.ID)
		if err != nil {
			return nil, err
		}
		if (len(o.only) == 0 || only || c.Family() == "check") && !skip {
			out = append(out, c)
		}
	}
	if len(o.only) > 0 && !slices.ContainsFunc(out, func(c *check.Check) bool { ok, _ := matches(o.only, c.ID); return ok }) {
		return nil, exit.Usagef("no check is called %s; %s check --list shows them", strings.Join(o.only, ", "), "tristate")
	}
	return out, nil
}

// read reads the files that the command line names.
func read(ctx context.Context, a *app.App, o *options) (*evidence.Evidence, error) {
	e := evidence.New(a.Now())
	if err := e.Read(slices.Concat(o.paths, o.exceptions), a.In); err != nil {
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
	if err := scan(ctx, e, o.sources); err != nil {
		return nil, err
	}
	context := map[string][]byte{}
	for _, p := range o.catalogs.Paths {
		more, err := flags.ReadPath(p)
		if err != nil {
			return nil, exit.With(exit.NotFound, err)
		}
		for name, data := range more {
			context[name] = data
		}
	}
	if !o.catalogs.NoEmbedded {
		embedded, err := catalog.ReadFS(catalogs.FS, ".")
		if err != nil {
			return nil, err
		}
		for name, data := range embedded {
			if len(o.paths)+len(o.sources)+len(o.history) == 0 {
				e.AddCatalog("embedded:"+name, data)
				e.Whole = true
			} else {
				context["embedded:"+name] = data
			}
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
