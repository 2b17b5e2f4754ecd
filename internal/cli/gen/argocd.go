// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/argocd"
)

var argocdConsumer = consumer{
	name:  "argocd",
	short: "Health checks in Lua for Argo CD",
	long: "Write health checks for Argo CD: as argocd-cm with a key for each kind, as the list that argocd-operator reads, or as files. A " +
		"check needs no library of Lua, and its " +
		"answers are those of tristate status, except for the differences that --differences lists.",
	example: "  tristate gen argocd Certificate.cert-manager.io Issuer.cert-manager.io | kubectl -n argocd patch cm argocd-cm --patch-file " +
		"/dev/stdin\n" +
		"  tristate gen argocd ToolPolicy.kars.azure.com --form files --out health/",
	add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
		form := flags.String("form", argocd.ConfigMap, "form: configmap, operator or files")
		return func(subjects []*export.Subject) (*export.Product, error) { return argocd.Generate(subjects, *form) }
	},
}
