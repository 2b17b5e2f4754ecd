// SPDX-License-Identifier: Apache-2.0

package control

import (
	_ "time/tzdata" // time zones of CronJobs on machines without the database

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/tristate/tristate/proof/localplane/internal/components"
	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// All are the components of this package.
var All = map[string]components.Run{
	supervisor.ControllerManager: command(manager.NewControllerManagerCommand),
	supervisor.Scheduler:         command(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	supervisor.Kwok:              runKwok,
}

// command returns a component that is an upstream command.
func command(upstream func() *cobra.Command) components.Run {
	return func(flags []string) error {
		components.WatchLifeline(nil)
		cmd := upstream()
		cmd.SetArgs(flags)
		if code := cli.Run(cmd); code != 0 {
			return components.Exited(code)
		}
		return nil
	}
}
