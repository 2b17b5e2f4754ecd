// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/tristate/tristate/internal/cli"
)

// documents returns the files of every archive: completions, man pages, licence and README.
func (r *release) documents() (map[string]file, error) {
	out := map[string]file{}
	for _, name := range []string{"LICENSE", "README.md"} {
		data, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		out[name] = file{data, 0o644}
	}
	root := (&cli.App{Name: "tristate"}).Command()
	root.DisableAutoGenTag = true
	for name, write := range map[string]func(*bytes.Buffer) error{
		"completions/tristate.bash": func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"completions/_tristate":     func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"completions/tristate.fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
		"completions/tristate.ps1":  func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return nil, err
		}
		out[name] = file{b.Bytes(), 0o644}
	}
	out["completions/kubectl_complete-tristate"] = file{[]byte(cli.PluginCompletion), 0o755}
	return out, r.man(root, out)
}

// man adds a page for each command.
func (r *release) man(c *cobra.Command, out map[string]file) error {
	c.InitDefaultHelpCmd()
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			if err := r.man(sub, out); err != nil {
				return err
			}
		}
	}
	var b bytes.Buffer
	header := &doc.GenManHeader{Section: "1", Source: "tristate " + r.version, Manual: "tristate", Date: &r.time}
	if err := doc.GenMan(c, header, &b); err != nil {
		return err
	}
	out["man/"+strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"] = file{b.Bytes(), 0o644}
	return nil
}
