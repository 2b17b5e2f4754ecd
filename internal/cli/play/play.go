// SPDX-License-Identifier: Apache-2.0

package play

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/systems"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// options are the flags.
type options struct {
	flags.Catalogs
	flags.Connection
	live     bool
	quiet    bool
	update   bool
	coverage string
	pace     time.Duration
	ui       bool
	address  string
}

// storyLanguage is the part of the help about the commands of a story.
func storyLanguage() string {
	var b strings.Builder
	b.WriteString("The commands of a story:\n\n")
	for _, v := range story.Verbs() {
		for _, usage := range v.Usage {
			fmt.Fprintf(&b, "  %s\n", usage)
		}
	}
	b.WriteString("\n" + strings.Join(story.Syntax(), "\n"))
	return b.String()
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "play [STORY ...]",
		Short: "Run stories, in memory or on a cluster",
		Long: "Run stories: files or directories of .txtar, or names of those that come with the command; without any, all of these. In " +
			"memory, on virtual " +
			"time, unless --live: then on the cluster of the context, in a namespace that is created for each story and deleted afterwards, where " +
			"tristate run is at work and manages the kinds of the story (run --manage).\n\n" + storyLanguage(),
		Example: "  tristate play\n  tristate play cluster-api/upgrade --pace 500ms\n  tristate play --live my-story.txtar",
		RunE:    func(c *cobra.Command, args []string) error { return run(c.Context(), a, o, args) },
	}
	o.Catalogs.Add(c.Flags())
	o.AddServer(c.Flags())
	c.Flags().StringVar(&o.Context, "context", "", "context of the kubeconfig, with --live")
	c.Flags().BoolVar(&o.live, "live", false, "on a cluster")
	c.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "only results")
	c.Flags().BoolVar(&o.update, "update", false, "write the trees that are seen into the story files")
	c.Flags().StringVar(&o.coverage, "coverage", "", "write which declared cells were reached to a file; - for standard output")
	c.Flags().DurationVar(&o.pace, "pace", 0, "wait after each tree that is shown")
	c.Flags().BoolVar(&o.ui, "ui", false, "show the stories in the browser too, in memory: the page stays until it is interrupted (default "+
		"of --pace: 2s)")
	c.Flags().StringVar(&o.address, "address", "127.0.0.1:0", "serve the page on host:port, with --ui")
	c.ValidArgsFunction = func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		names, _ := fs.Glob(systems.Stories, "*/*.txtar") // the pattern is valid
		for i, name := range names {
			names[i] = strings.TrimSuffix(name, ".txtar")
		}
		out, _ := flags.OneOf(names...)(c, args, word)
		return out, cobra.ShellCompDirectiveDefault // a path is an argument, too
	}
	return c
}

// Embedded plays stories that come with the command, in memory, with a pause after each tree, and with the page if asked.
func Embedded(ctx context.Context, a *app.App, names []string, pace time.Duration, page bool) error {
	return run(ctx, a, &options{pace: pace, ui: page, address: "127.0.0.1:0"}, names)
}

func run(ctx context.Context, a *app.App, o *options, args []string) error {
	set, err := o.Load()
	if err != nil {
		return err
	}
	list, files, err := readStories(args)
	if err != nil {
		return err
	}
	var config *rest.Config
	if o.live {
		a.Slow.Store(true) // it deletes the namespaces of the stories
		if config, _, err = o.Config(); err != nil {
			return err
		}
	}
	var coverage story.Coverage
	p := &Player{App: a, Catalogs: set, Quiet: o.quiet, Update: o.update, Pace: o.pace, Coverage: &coverage}
	if o.ui {
		if o.live {
			return exit.Usagef("--ui plays in memory: leave --live out, and run tristate ui for the cluster")
		}
		shown, err := showPage(ctx, a, p, o)
		if err != nil {
			return err
		}
		defer shown()
	}
	failed, skipped := 0, 0
	for i, s := range list {
		writes, err := p.Play(ctx, config, s)
		switch {
		case ctx.Err() != nil:
			return exit.With(exit.Interrupted, nil)
		case exit.IsUnread(err): // so would the next one end
			return err
		case errors.Is(err, story.ErrSkipped):
			skipped++
			fmt.Fprintf(a.Out, "– %s skipped: it needs virtual time\n", s.Name())
		case err != nil:
			failed++
			fmt.Fprintf(a.Out, "✗ %s\n%v\n", s.Name(), err)
		default:
			fmt.Fprintf(a.Out, "✓ %s (%s)\n", s.Name(), english.Count(writes, "write"))
		}
		if o.update && files[i] != "" {
			if err := os.WriteFile(files[i], s.Format(), 0o644); err != nil {
				return err
			}
		}
	}
	report := coverage.Report(set)
	fmt.Fprintf(a.Out, "%d passed, %d failed, %d skipped; %d of %d statuses and %d of %d cells reached\n", len(list)-failed-skipped, failed,
		skipped,
		len(report.Statuses.Reached), report.Statuses.Declared(), len(report.Cells.Reached), report.Cells.Declared())
	if err := writeCoverage(a, o.coverage, report.Text()); err != nil {
		return err
	}
	if failed > 0 {
		return exit.With(exit.Findings, nil)
	}
	return nil
}

func writeCoverage(a *app.App, file, text string) error {
	switch file {
	case "":
		return nil
	case "-":
		_, err := fmt.Fprint(a.Out, text)
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// readStories returns stories, and the files of those that are not embedded.
func readStories(args []string) (list []*story.Story, files []string, err error) {
	if len(args) == 0 {
		list, err = story.ReadFS(systems.Stories, ".")
		return list, make([]string, len(list)), err
	}
	for _, arg := range args {
		if data, err := fs.ReadFile(systems.Stories, strings.TrimSuffix(arg, ".txtar")+".txtar"); err == nil {
			s, err := story.Parse(arg, data)
			if err != nil {
				return nil, nil, err
			}
			list, files = append(list, s), append(files, "")
			continue
		}
		before := len(list)
		err := filepath.WalkDir(arg, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() || filepath.Ext(path) != ".txtar" {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			s, err := story.Parse(path, data)
			if err != nil {
				return err
			}
			list, files = append(list, s), append(files, path)
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, exit.With(exit.NotFound, fmt.Errorf("story %s: there is no such file, and none of that name is embedded", arg))
		} else if err != nil {
			return nil, nil, err
		}
		if len(list) == before {
			return nil, nil, exit.With(exit.NotFound, fmt.Errorf("%s: no stories (.txtar)", arg))
		}
	}
	return list, files, nil
}

// Player plays stories and shows them.
type Player struct {
	App      *app.App
	Catalogs *catalog.Set
	Coverage *story.Coverage
	Quiet    bool          // show no notes and hierarchies
	Update   bool          // write the trees that are seen into the stories
	Pace     time.Duration // after each frame
	Keep     bool          // the namespaces of stories

	screen *app.Screen
	page   *page // nil without --ui
}

// Play plays a story in memory or, with a configuration, on a cluster, where tristate run is at work. It returns the number of writes by
// Tristate.
func (p *Player) Play(ctx context.Context, config *rest.Config, s *story.Story) (writes int, err error) {
	var world story.World = story.NewMemoryWorld(p.Catalogs)
	if config != nil {
		namespace, remove, err := storyNamespace(ctx, config, s)
		if err != nil {
			return 0, err
		}
		if !p.Keep {
			defer remove()
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if world, err = live.New(ctx, live.Options{Config: config, Catalogs: p.Catalogs, Namespace: namespace}); err != nil {
			return 0, err
		}
	}
	before := world.Writes()
	r := &story.Runner{World: world, Coverage: p.Coverage, Update: p.Update}
	if !p.Quiet || p.page != nil {
		p.screen = p.App.Screen()
		r.Observe = func(e story.Event) {
			if p.page != nil {
				p.page.observe(ctx, e)
			}
			if !p.Quiet {
				p.observe(ctx, e)
			}
		}
	}
	err = r.Run(ctx, s)
	return world.Writes() - before, err
}

// storyNamespace creates a namespace for a story; the second result deletes it.
func storyNamespace(ctx context.Context, config *rest.Config, s *story.Story) (string, func(), error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return "", nil, err
	}
	namespaces := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	base := strings.TrimSuffix(filepath.Base(s.Name()), ".txtar")
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"generateName": base + "-"}}}
	created, err := namespaces.Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil {
		return "", nil, &cluster.Error{Verb: "create", Resource: "namespaces", Name: base, Err: err}
	}
	return created.GetName(), func() {
		err := namespaces.Delete(context.WithoutCancel(ctx), created.GetName(), metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return // it stays behind; its name is that of the story
		}
	}, nil
}

// observe shows notes, and the hierarchies after each settle that changed them.
func (p *Player) observe(ctx context.Context, e story.Event) {
	switch cmd := e.Step.Command.(type) {
	case story.Note:
		if !e.Done {
			p.screen.Line("» " + cmd.Text)
			p.wait(ctx)
		}
	case story.Settle:
		if e.Done && e.Err == nil {
			p.redraw(ctx, e.World)
		}
	}
}

func (p *Player) redraw(ctx context.Context, w story.World) {
	objects, err := w.List(ctx)
	if err != nil {
		return
	}
	g := relation.New(p.Catalogs)
	for _, o := range objects {
		g.Put(relation.FromContent(o))
	}
	v := &relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(p.Catalogs), p.Catalogs, w.Now())}
	var all []relation.ID
	for _, o := range g.All() {
		if k := p.Catalogs.Kind(o.GroupKind); k != nil && len(k.Relations) > 0 {
			all = append(all, o.ID)
		}
	}
	var b strings.Builder
	o := p.App.RenderOptions()
	o.NoHeaders = true
	o.Now = w.Now()
	for _, id := range v.Tops(all) {
		if err := render.Tree(&b, v.Build(id), o); err != nil {
			return
		}
	}
	if text := b.String(); text != "" && p.screen.Frame(text) {
		p.wait(ctx)
	}
}

func (p *Player) wait(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(p.Pace):
	}
}
