// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version is that of a release; the linker sets it. Empty: what the build information says.
var Version string

func (a *App) version() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		version := cmp.Or(Version, "(devel)")
		if info, ok := debug.ReadBuildInfo(); ok && Version == "" && info.Main.Version != "" {
			version = info.Main.Version
		}
		_, err := fmt.Fprintf(a.Out, "tristate %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}}
}
