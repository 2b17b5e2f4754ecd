// SPDX-License-Identifier: Apache-2.0

package components

import (
	"fmt"
	"io"
	_ "time/tzdata" // time zones of CronJobs on machines without the database

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client metrics of both kube components
	_ "k8s.io/component-base/metrics/prometheus/version"  // their version metric
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/tristate/tristate/localplane/internal/supervisor"
)

// Main runs the component args[0] with the flags args[1:] until it is stopped, and returns its exit code.
func Main(args []string, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprintln(stderr, "localplane component: which one?")
		return 2
	}
	name, flags := args[0], args[1:]
	var err error
	switch name {
	case supervisor.Etcd:
		err = runEtcd(flags)
	case supervisor.APIServer:
		watchLifeline(nil)
		err = runAPIServer(flags)
	case supervisor.ControllerManager:
		watchLifeline(nil)
		return runCommand(manager.NewControllerManagerCommand(), flags)
	case supervisor.Scheduler:
		watchLifeline(nil)
		return runCommand(scheduler.NewSchedulerCommand(), flags)
	case supervisor.Kwok:
		watchLifeline(nil)
		err = runKwok(flags)
	default:
		fmt.Fprintf(stderr, "localplane component: unknown component %q\n", name)
		return 2
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}

// runCommand runs an upstream command with flags and returns its exit code.
func runCommand(cmd *cobra.Command, flags []string) int {
	cmd.SetArgs(flags)
	return cli.Run(cmd)
}
