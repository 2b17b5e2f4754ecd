// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"os"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/controller"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
)

//go:embed catalog.yaml
var declared []byte

func main() {
	config, err := ctrl.GetConfig()
	if err == nil {
		err = Run(ctrl.SetupSignalHandler(), config, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stack-operator:", err)
		os.Exit(1)
	}
}

// Run derives and writes the conditions of all stacks until the context ends.
func Run(ctx context.Context, config *rest.Config, log *slog.Logger) error {
	set, err := catalog.Load(map[string][]byte{"catalog.yaml": declared})
	if err != nil {
		return fmt.Errorf("load the catalog: %w", err)
	}
	c, err := controller.New(controller.Options{Config: config, Catalogs: set, Manager: "stack-operator", Log: log})
	if err != nil {
		return err
	}
	return c.Run(ctx)
}
