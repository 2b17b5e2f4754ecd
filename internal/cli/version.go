// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/tristate/tristate/internal/cli/app"

	"github.com/spf13/cobra"
)

// Version is the version of a release, set by the linker; empty is the version of the build information.
var Version string

// PluginCompletion is the program kubectl_complete-tristate, by which kubectl completes the words behind "kubectl tristate".
const PluginCompletion = "#!/bin/sh\nexec kubectl tristate __complete \"$@\"\n"

func version(a *app.App) *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return printVersion(a) }}
}

// programVersion returns the version of a release, or that of the build information.
func programVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && Version == "" && info.Main.Version != "" {
		return info.Main.Version
	}
	return cmp.Or(Version, "(devel)")
}

func printVersion(a *app.App) error {
	_, err := fmt.Fprintf(a.Out, "tristate %s %s %s/%s\n", programVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
