// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// Command returns the command. load returns the catalogs, when they are first needed.
func Command(out io.Writer, load func() (*catalog.Set, error)) *cobra.Command {
	schema := false
	c := &cobra.Command{
		Use:   "explain [FIELD | KIND[.TYPE[.REASON]]]",
		Short: "Document the catalog format, or what a catalog declares",
		Long: "Document a field of the catalog format, by its path or its name; or what the catalogs declare of a kind, of one of its " +
			"condition types, or of one " +
			"reason; of a kind of Kubernetes itself, the cases by which it is judged. Without an argument, the whole document.\n\n" +
			"With --schema, print the JSON Schema (draft 2020-12) of the format. Editors with a YAML language server (VS Code, " +
			"Neovim, JetBrains, Helix) check a catalog against it and complete its fields if the first line of the catalog is " +
			"# yaml-language-server: $schema=FILE, as tristate init writes it.",
		Example: "  tristate explain spec.conditions.presence\n  tristate explain derive\n  tristate explain Deployment\n  tristate explain " +
			"Machine\n  tristate explain Machine.Ready\n" +
			"  tristate explain AWSMachine.InstanceReady.SSHKeyMissing\n" +
			"  tristate explain --schema > catalog.schema.json",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case !schema:
				return Run(out, strings.Join(args, ""), load)
			case len(args) > 0:
				return errors.New("--schema prints the whole format: leave out " + args[0])
			}
			_, err := out.Write(catalog.SchemaJSON)
			return err
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return Complete(word, load), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of the catalog format, for editors")
	return c
}

// Run explains a word: a field of the format, or else something that catalogs declare. It is an error where the word is neither.
func Run(out io.Writer, word string, load func() (*catalog.Set, error)) error {
	f, err := newFormat()
	if err != nil {
		return err
	}
	found := f.find(word)
	if len(found) == 1 && found[0].path == word || word == "" {
		return f.write(out, found[0])
	}
	set, err := load()
	if err != nil {
		return err
	}
	subjects, err := lookup(set, word)
	if err != nil {
		return err
	}
	own, err := kubernetes()
	if err != nil {
		return err
	}
	more, err := lookup(own, word)
	if err != nil && len(subjects) == 0 {
		return err
	}
	subjects = append(subjects, more...)
	for i, s := range subjects {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := s.write(out); err != nil {
			return err
		}
	}
	builtIn := findBuiltIn(word)
	if builtIn != nil {
		if len(subjects) > 0 {
			fmt.Fprintln(out)
		}
		return builtIn.write(out)
	}
	switch {
	case len(subjects) > 0:
		return nil
	case len(found) == 1:
		return f.write(out, found[0])
	case len(found) > 1:
		for _, p := range found {
			fmt.Fprintf(out, "%s <%s>\n%s\n", p.path, p.typ, indent(firstSentence(p.schema.Description), "    "))
		}
		return nil
	}
	return fmt.Errorf("%q is neither a field of the catalog format nor a kind that a catalog declares or that has rules of its own%s", word,
		hint(word, f, set))
}

// hint returns the field or kind that was probably meant.
func hint(word string, f *format, set *catalog.Set) string {
	candidates := f.names()
	for _, k := range set.Kinds() {
		candidates = append(candidates, k.For.Kind)
	}
	if list, err := builtIns(); err == nil {
		for _, k := range list {
			candidates = append(candidates, k.Kind)
		}
	}
	if near := catalog.Nearest(word, candidates); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

// Complete returns the words that begin with one: paths of the format, or kinds, types and reasons.
func Complete(word string, load func() (*catalog.Set, error)) []string {
	var out []string
	add := func(candidate string) {
		if strings.HasPrefix(strings.ToLower(candidate), strings.ToLower(word)) && !slices.Contains(out, candidate) {
			out = append(out, candidate)
		}
	}
	if f, err := newFormat(); err == nil {
		for _, p := range f.places[1:] {
			if strings.Count(p.path, ".") <= strings.Count(word, ".") {
				add(p.path)
			}
		}
	}
	set, err := load()
	if err != nil {
		return out
	}
	if list, err := builtIns(); err == nil {
		for _, k := range list {
			add(k.Kind)
		}
	}
	kinds := set.Kinds()
	if own, err := kubernetes(); err == nil {
		kinds = slices.Concat(kinds, own.Kinds(), own.Trees)
	}
	for _, k := range kinds {
		add(k.For.Kind)
		for i := range k.Declaration.Types {
			t := &k.Declaration.Types[i]
			if strings.Contains(word, ".") {
				add(k.For.Kind + "." + t.Name)
			}
			for j := range t.Reasons {
				if strings.Count(word, ".") > 1 {
					add(k.For.Kind + "." + t.Name + "." + t.Reasons[j].Name)
				}
			}
		}
	}
	return out
}
