// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/cli/app"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/output"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/input"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

// completeTimeout is how long a completion may wait for the API server.
const completeTimeout = 3 * time.Second

// Completion completes a word.
type Completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// OneOf completes from a list. Several values of one flag are separated by commas.
func OneOf(list ...string) Completion {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		before, last := "", word
		if i := strings.LastIndexByte(word, ','); i >= 0 {
			before, last = word[:i+1], word[i+1:]
		}
		var out []string
		for _, candidate := range list {
			if strings.HasPrefix(strings.ToLower(candidate), strings.ToLower(last)) {
				out = append(out, before+candidate)
			}
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if slices.ContainsFunc(out, func(s string) bool { return strings.HasSuffix(s, "=") }) {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return out, directive
	}
}

// CompleteKinds completes kinds whose conditions the catalogs derive, as Kind.group.
func (f *Catalogs) CompleteKinds(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	set, err := f.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return OneOf(KindNames(ManagedKinds(set))...)(c, args, word)
}

// CompleteReasons completes the reasons that the catalogs declare.
func (f *Catalogs) CompleteReasons(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	set, err := f.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var out []string
	for _, k := range set.Kinds() {
		for _, t := range k.Declaration.Types {
			for _, r := range t.Reasons {
				out = append(out, r.Name)
			}
		}
	}
	slices.Sort(out)
	return OneOf(slices.Compact(out)...)(c, args, word)
}

// flagWords are the values of flags that have few.
func flagWords() map[string]Completion {
	var verdicts []string
	for _, s := range verdict.Statuses {
		verdicts = append(verdicts, string(s))
	}
	return map[string]Completion{
		"verdict": OneOf(verdicts...), "sort": OneOf("name", "problems", "age"), "engine": OneOf("tristate", "kstatus"),
		"for":       OneOf("verdict=", "ready", "condition=", "create", "delete", "jsonpath=", "cel="),
		"fail":      OneOf("none", "verdict=", "condition=", "cel="),
		"log-level": OneOf("debug", "info", "warn", "error"), "log-format": OneOf("text", "json"),
	}
}

// Complete registers the completion of flags and, with files, of the objects that arguments name. own are the output formats that only
// this command has; nil if it has no -o that lists objects.
func (f *Connection) Complete(c *cobra.Command, a *app.App, files *[]string, own []string) {
	register := func(flag string, complete Completion) {
		if c.Flags().Lookup(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, complete) // it only fails for a flag that does not exist, or for the second time
		}
	}
	for flag, complete := range flagWords() {
		register(flag, complete)
	}
	if own != nil {
		register("output", OneOf(append(slices.Clone(own), output.Formats...)...))
	}
	register("context", func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return OneOf(f.ContextNames("")...)(nil, nil, word)
	})
	register("namespace", func(c *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return f.completeFrom(c, a, func(cl *cluster.Cluster, ctx context.Context) []string { return namesIn(ctx, cl, "namespaces", "") }, word)
	})
	if files == nil {
		return
	}
	c.ValidArgsFunction = func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		kind, _, slash := strings.Cut(word, "/")
		list := func(cl *cluster.Cluster, ctx context.Context) []string {
			switch {
			case slash:
				return namesIn(ctx, cl, kind, kind+"/")
			case len(args) > 0 && !strings.Contains(args[0], "/"):
				return namesIn(ctx, cl, args[0], "")
			}
			return typesIn(cl)
		}
		if len(*files) > 0 {
			return OneOf(fromFiles(*files, args, kind, slash)...)(c, args, word)
		}
		out, directive := f.completeFrom(c, a, list, word)
		if !slash && len(args) == 0 {
			directive |= cobra.ShellCompDirectiveNoSpace // TYPE/NAME or TYPE NAME
		}
		return out, directive
	}
}

// ContextNames returns the contexts of the kubeconfig, each behind a prefix; none if it cannot be read.
func (f *Connection) ContextNames(prefix string) []string {
	raw, err := f.loader().RawConfig()
	if err != nil {
		return nil
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(raw.Contexts)) {
		out = append(out, prefix+name)
	}
	return out
}

// completeFrom completes a word from a cluster that answers within completeTimeout.
func (f *Connection) completeFrom(c *cobra.Command, a *app.App, list func(*cluster.Cluster, context.Context) []string,
	word string) ([]string, cobra.ShellCompDirective) {
	parent := c.Context()
	if parent == nil {
		parent = context.Background()
	}
	ctx, stop := context.WithTimeout(parent, completeTimeout)
	defer stop()
	cl, err := f.Connect(ctx, a)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	cl.Warn = func(string) {}
	return OneOf(list(cl, ctx)...)(c, nil, word)
}

// namesIn lists the names of the objects of a type, each behind a prefix.
func namesIn(ctx context.Context, c *cluster.Cluster, kind, prefix string) []string {
	m, err := c.Kind(kind)
	if err != nil {
		return nil
	}
	var out []string
	_ = c.List(ctx, m, "", func(o *relation.Object) { out = append(out, prefix+o.Name) }) // the names before an error are better than none
	slices.Sort(out)
	return slices.Compact(out)
}

// typesIn returns the types of a cluster, with their group if several have one name.
func typesIn(c *cluster.Cluster) []string {
	types, _ := c.Types() // those that could be discovered are better than none
	groups := map[string][]string{}
	for _, t := range types {
		groups[t.Resource] = append(groups[t.Resource], t.Group)
	}
	var out []string
	for name, in := range groups {
		out = append(out, name)
		for _, group := range in {
			if len(in) > 1 && group != "" {
				out = append(out, name+"."+group)
			}
		}
	}
	slices.Sort(out)
	return out
}

// fromFiles lists the kinds, or the names of a kind, that files hold.
func fromFiles(paths, args []string, kind string, slash bool) []string {
	if slices.Contains(paths, "-") {
		return nil
	}
	objects, _ := input.Read(paths, nil)
	read := make([]*relation.Object, len(objects))
	for i, o := range objects {
		read[i] = relation.FromContent(o.Content)
	}
	names := TypeNamesOf(read)
	var out []string
	for _, o := range read {
		id := o.ID
		switch {
		case slash && names.Match(cluster.Query{Type: kind}, id):
			out = append(out, kind+"/"+id.Name)
		case slash:
		case len(args) > 0 && names.Match(cluster.Query{Type: args[0]}, id):
			out = append(out, id.Name)
		case len(args) == 0:
			out = append(out, strings.ToLower(id.Kind))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
