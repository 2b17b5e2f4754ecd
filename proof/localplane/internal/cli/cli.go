// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	etcdversion "go.etcd.io/etcd/api/v3/version"
	kubeversion "k8s.io/component-base/version"

	"github.com/tristate/tristate/proof/localplane/internal/components"
	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// Exit codes.
const (
	Stopped = 0 // stopped as asked: by a signal or the end of standard input
	Usage   = 2 // bad arguments
	Failed  = 3 // could not start, or a component ended by itself
)

// runError is an error that is not the fault of the arguments.
type runError struct{ error }

// Main runs one command of a build with these components and returns the exit code. A build without any runs the programs of this machine.
func Main(builtIn map[string]components.Run, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == supervisor.Command {
		return components.Main(builtIn, args[1:], stderr)
	}
	root := &cobra.Command{
		Use:           "localplane",
		Short:         "A Kubernetes control plane on this machine: etcd, kube-apiserver and kube-controller-manager",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error {
			return errors.New("which command? up or version")
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(upCommand(builtIn), versionCommand())

	err := root.Execute()
	if err == nil {
		return Stopped
	}
	fmt.Fprintf(stderr, "localplane: %v\n", err)
	if errors.As(err, &runError{}) {
		return Failed
	}
	return Usage
}

func upCommand(builtIn map[string]components.Run) *cobra.Command {
	var opts upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Run the control plane until SIGINT or SIGTERM",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.timeout <= 0 {
				return fmt.Errorf("--timeout %s: must be positive", opts.timeout)
			}
			if opts.nodes < 0 || opts.nodes > maxNodes {
				return fmt.Errorf("--nodes %d: must be 0 to %d", opts.nodes, maxNodes)
			}
			opts.components = builtIn
			opts.stdin, opts.stdout = cmd.InOrStdin(), cmd.OutOrStdout()
			if err := up(cmd.Context(), opts); err != nil {
				return runError{err}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.dir, "dir", "", "data folder, created if absent and used again next time (default a temporary one)")
	flags.IntVar(&opts.nodes, "nodes", 0, "number of nodes: pods are scheduled, run, complete and fail, played by KWOK (default none)")
	flags.StringVar(&opts.kubeconfig, "kubeconfig", "", "file to write the kubeconfig to (default DIR/kubeconfig)")
	flags.BoolVar(&opts.quiet, "quiet", false, "when ready print the path of the kubeconfig and nothing else")
	flags.BoolVar(&opts.untilEOF, "until-eof", false, "stop when standard input ends, which it does when a parent that holds the other end "+
		"of a pipe dies")
	flags.DurationVar(&opts.timeout, "timeout", 2*time.Minute, "how long starting may take")
	return cmd
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of Kubernetes and etcd",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "kubernetes %s\netcd v%s\n", kubeversion.Get().GitVersion, etcdversion.Version)
			return err
		},
	}
}
