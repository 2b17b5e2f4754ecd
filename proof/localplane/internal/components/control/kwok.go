// SPDX-License-Identifier: Apache-2.0

package control

import (
	"os"

	"github.com/spf13/pflag"
	"sigs.k8s.io/kwok/pkg/config"
	"sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"

	"github.com/tristate/tristate/proof/localplane/internal/components"
	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// runKwok plays the kubelets of all nodes until SIGINT or SIGTERM. Its stages come from the file that flag --config names;
// KWOK reads that flag from the arguments of the process, before its command exists.
func runKwok(flags []string) error {
	components.WatchLifeline(nil)
	// cobra adds the flags of the process to every command; Kubernetes registers a --version there that is no bool, as cobra's is.
	pflag.CommandLine = pflag.NewFlagSet(supervisor.Kwok, pflag.ContinueOnError)
	os.Args = append([]string{supervisor.Kwok}, flags...)
	global := pflag.NewFlagSet(supervisor.Kwok, pflag.ContinueOnError)
	global.ParseErrorsAllowlist.UnknownFlags = true
	global.Usage = func() {}
	ctx, _ := log.InitFlags(signals.SetupSignalContext(), global)
	ctx, err := config.InitFlags(ctx, global)
	if err != nil {
		return err
	}
	command := cmd.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(global)
	command.SetArgs(flags)
	return command.ExecuteContext(ctx)
}
