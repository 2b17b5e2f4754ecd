// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/flux"
)

var fluxConsumer = consumer{
	name:  "flux",
	short: "Health checks in CEL for Flux",
	long: "Write the list spec.healthCheckExprs of a Kustomization or a HelmRelease of Flux, with which it waits for objects of these " +
		"kinds. Its answers are those of tristate " +
		"status in the three words of Flux, except for the differences that --differences lists.",
	example: "  tristate gen flux Certificate.cert-manager.io Issuer.cert-manager.io",
	add: func(*pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
		return flux.Generate
	},
}
