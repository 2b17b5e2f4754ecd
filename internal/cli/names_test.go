// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/input"
	"github.com/tristate/tristate/internal/pack"
	"github.com/tristate/tristate/internal/relation"
)

// TestShortNames: every kind with a short name is built in or of a group that a catalog or pack knows, and the definitions that come with the command
// have no short name that is not known.
func TestShortNames(t *testing.T) {
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	note := func(set *catalog.Set) {
		for _, k := range set.Kinds() {
			known[k.For.Group] = true
		}
	}
	set, err := (&catalogFlags{}).load()
	if err != nil {
		t.Fatal(err)
	}
	note(packs)
	note(set)
	names := typeNamesOf(nil)
	for name, kinds := range names {
		for _, gk := range kinds {
			if !builtIn(gk) && !known[gk.Group] && gk != conditionCatalog && gk.Group != "serving.knative.dev" {
				t.Errorf("%s: no catalog or pack knows the group of %s", name, gk)
			}
		}
	}
	files, err := filesOf(mustSub(t, catalogs.CRDs, "crds"))
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range files {
		objects, _ := input.Parse("crds", data)
		for _, o := range objects {
			for name, kinds := range typeNamesOf([]*relation.Object{relation.FromContent(o.Content)}) {
				for _, gk := range kinds {
					if !slices.Contains(names[name], gk) && !strings.HasPrefix(name, strings.ToLower(gk.Kind)) {
						t.Errorf("shortnames.tsv lacks %s for %s", name, gk)
					}
				}
			}
		}
	}
}

func mustSub(t *testing.T, fsys fs.FS, dir string) fs.FS {
	t.Helper()
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

// TestKubectlFlags: wait has every flag of kubectl wait, and every command with a cluster those that kubectl has everywhere.
func TestKubectlFlags(t *testing.T) {
	everywhere := []string{"as", "as-group", "as-uid", "cache-dir", "certificate-authority", "client-certificate", "client-key", "cluster", "context", "disable-compression",
		"insecure-skip-tls-verify", "kubeconfig", "log-flush-frequency", "match-server-version", "namespace n", "password", "profile", "profile-output", "request-timeout",
		"server s", "tls-server-name", "token", "user", "username", "v v", "vmodule", "warnings-as-errors"}
	flags := map[string][]string{
		"status": {"all-namespaces A", "filename f", "output o", "selector l", "watch w", "no-headers"},
		"tree":   {"all-namespaces A", "filename f", "output o", "selector l", "watch w"},
		"why":    {"all-namespaces A", "filename f", "output o", "selector l", "watch w"},
		"wait": {"all", "all-namespaces A", "allow-missing-template-keys", "field-selector", "filename f", "for", "local", "output o", "recursive R", "selector l",
			"show-managed-fields", "template", "timeout"},
	}
	root := New().Command()
	for name, own := range flags {
		i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
		for _, flag := range slices.Concat(everywhere, own) {
			flag, short, _ := strings.Cut(flag, " ")
			if f := root.Commands()[i].Flags().Lookup(flag); f == nil || short != "" && f.Shorthand != short {
				t.Errorf("%s has no --%s %s", name, flag, short)
			}
		}
	}
}
