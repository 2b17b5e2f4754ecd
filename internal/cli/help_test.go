// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli"
)

// TestHelp: every command has a short description, and no flag has an empty default.
func TestHelp(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.HasParent() && c.Short == "" {
			t.Errorf("%s has no short help", c.CommandPath())
		}
		for line := range strings.Lines(c.UsageString()) {
			if strings.Contains(line, "(default )") {
				t.Errorf("%s: %s", c.CommandPath(), strings.TrimSpace(line))
			}
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit((&cli.App{Name: "tristate"}).Command())
}

// TestKubectlFlags: wait has every flag of kubectl wait, and every command with a cluster those that kubectl has everywhere.
func TestKubectlFlags(t *testing.T) {
	everywhere := []string{"as", "as-group", "as-uid", "cache-dir", "certificate-authority", "client-certificate", "client-key", "cluster",
		"context", "disable-compression",
		"insecure-skip-tls-verify", "kubeconfig", "log-flush-frequency", "match-server-version", "namespace n", "password", "profile",
		"profile-output", "request-timeout",
		"server s", "tls-server-name", "token", "user", "username", "v v", "vmodule", "warnings-as-errors"}
	flags := map[string][]string{
		"status": {"all-namespaces A", "filename f", "output o", "selector l", "watch w", "no-headers"},
		"tree":   {"all-namespaces A", "filename f", "output o", "selector l", "watch w"},
		"why":    {"all-namespaces A", "filename f", "output o", "selector l", "watch w"},
		"wait": {"all", "all-namespaces A", "allow-missing-template-keys", "field-selector", "filename f", "for", "local", "output o",
			"recursive R", "selector l",
			"show-managed-fields", "template", "timeout"},
	}
	root := cli.New().Command()
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
