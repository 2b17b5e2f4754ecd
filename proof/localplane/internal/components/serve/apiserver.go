// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"fmt"
	"net"
	"os"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/tristate/tristate/proof/localplane/internal/components"
	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// runAPIServer serves on the listening socket that the supervisor opened, until SIGINT or SIGTERM.
//
// The upstream command opens its port itself, which leaves a moment in which another process can take it. Everything
// else here is what that command does.
func runAPIServer(flags []string) error {
	components.WatchLifeline(nil)
	ctx := genericapiserver.SetupSignalContext()
	opts := options.NewServerRunOptions()
	fs := pflag.NewFlagSet(supervisor.APIServer, pflag.ContinueOnError)
	for _, set := range opts.Flags().FlagSets {
		fs.AddFlagSet(set)
	}
	if err := fs.Parse(flags); err != nil {
		return err
	}
	registry := opts.GenericServerRunOptions.ComponentGlobalsRegistry
	if err := registry.Set(); err != nil {
		return err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	logs.InitLogs()
	defer logs.FlushLogs()
	gates := registry.FeatureGateFor(basecompatibility.DefaultKubeComponent)
	if err := logsapi.ValidateAndApply(opts.Logs, gates); err != nil {
		return err
	}

	socket := os.NewFile(supervisor.ExtraFD, "listener")
	listener, err := net.FileListener(socket)
	if err != nil {
		return fmt.Errorf("inherited listener: %w", err)
	}
	if err := socket.Close(); err != nil {
		return err
	}
	opts.SecureServing.Listener = listener

	completed, err := opts.Complete(ctx)
	if err != nil {
		return err
	}
	if errs := completed.Validate(); len(errs) != 0 {
		return utilerrors.NewAggregate(errs)
	}
	return app.Run(ctx, completed)
}
