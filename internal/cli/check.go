// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/all"
	"github.com/tristate/tristate/internal/check/coverage"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/check/report"
)

// checkOptions are those of one run of checks.
type checkOptions struct {
	context    catalogFlags
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

func (a *App) check() *cobra.Command {
	o := &checkOptions{}
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
			return a.runCheck(c.Context(), o)
		},
	}
	f := c.Flags()
	o.context.add(f)
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

func (a *App) runCheck(ctx context.Context, o *checkOptions) error {
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
		return usagef("--output %q is not text, json, sarif, junit or github", o.output)
	case o.coverage && o.output != "text" && o.output != "json":
		return usagef("--coverage needs --output text or json")
	case o.write && o.baseline == "":
		return usagef("--write-baseline needs --baseline FILE")
	case o.explain != "":
		return a.explainCheck(o.explain)
	case o.list:
		return a.listChecks(checks)
	}
	e, err := a.evidence(ctx, o)
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
	if err := a.printReport(o, r, e, level); err != nil {
		return err
	}
	if len(r.Findings(failOn)) > 0 && !(o.write && baseline == nil) {
		return &exit{ExitFindings, nil}
	}
	return nil
}

func (a *App) printReport(o *checkOptions, r *check.Report, e *evidence.Evidence, level check.Level) error {
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
	return "", usagef("--%s %q is not error, warning or info", flag, word)
}

// choose returns the checks that --only and --skip leave.
func (o *checkOptions) choose() ([]*check.Check, error) {
	matches := func(patterns []string, id string) (bool, error) {
		for _, p := range patterns {
			ok, err := path.Match(p, id)
			if err != nil {
				return false, usagef("%q is not a pattern of checks: %v", p, err)
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
		return nil, usagef("no check is called %s; %s check --list shows them", strings.Join(o.only, ", "), "tristate")
	}
	return out, nil
}

// evidence reads what the command line names.
func (a *App) evidence(ctx context.Context, o *checkOptions) (*evidence.Evidence, error) {
	e := evidence.New(a.Now())
	if err := e.Read(slices.Concat(o.paths, o.exceptions), a.In); err != nil {
		return nil, &exit{ExitNotFound, err}
	}
	if err := e.Observe(o.history, a.In); err != nil {
		return nil, &exit{ExitNotFound, err}
	}
	if o.against != "" {
		before, err := readBefore(o.against)
		if err != nil {
			return nil, err
		}
		for name, data := range before {
			e.AddBefore(name, data)
		}
	}
	if err := a.scan(ctx, e, o.sources); err != nil {
		return nil, err
	}
	context := map[string][]byte{}
	for _, p := range o.context.paths {
		more, err := readPath(p)
		if err != nil {
			return nil, &exit{ExitNotFound, err}
		}
		for name, data := range more {
			context[name] = data
		}
	}
	if !o.context.noEmbedded {
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

// readBefore reads the catalogs of a file, a folder, or git:REVISION:PATH.
func readBefore(where string) (map[string][]byte, error) {
	rest, isGit := strings.CutPrefix(where, "git:")
	if !isGit {
		files, err := readPath(where)
		if err != nil {
			return nil, &exit{ExitNotFound, err}
		}
		return files, nil
	}
	revision, at, ok := strings.Cut(rest, ":")
	if !ok || strings.HasPrefix(revision, "-") {
		return nil, usagef("--against %q is not git:REVISION:PATH", where)
	}
	names, err := git("ls-tree", "-r", "--name-only", "--full-tree", revision, "--", at)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for name := range strings.Lines(string(names)) {
		name = strings.TrimRight(name, "\n")
		if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" && ext != ".json" {
			continue
		}
		data, err := git("show", revision+":"+name)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(data, []byte("ConditionCatalog")) {
			out[revision+":"+name] = data
		}
	}
	if len(out) == 0 {
		return nil, &exit{ExitNotFound, fmt.Errorf("revision %s has no catalogs at %s", revision, at)}
	}
	return out, nil
}

func git(args ...string) ([]byte, error) {
	out, err := exec.Command("git", args...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(failed.Stderr)))
	}
	return out, err
}

func (o *checkOptions) readBaseline() (*check.Baseline, error) {
	if o.baseline == "" {
		return nil, nil
	}
	data, err := os.ReadFile(o.baseline)
	if errors.Is(err, fs.ErrNotExist) && o.write {
		return nil, nil
	}
	if err != nil {
		return nil, &exit{ExitNotFound, err}
	}
	return check.ParseBaseline(o.baseline, data)
}
