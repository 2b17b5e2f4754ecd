// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"strings"
	"testing"
)

// TestPlace: a controller is found at the place that the command line has for it, and the list that was given is not changed.
func TestPlace(t *testing.T) {
	tests := map[string]struct{ text, name, want string }{
		"velero elsewhere": {"velero=backup/velero-server", "velero", "backup/velero-server"},
		"a name of words":  {"flux-helm-controller=flux/helm", "flux helm-controller", "flux/helm"},
		"the others stay":  {"velero=backup/velero", "cert-manager", "cert-manager/cert-manager"},
		"not a controller": {"kured=kube-system/kured", "",
			`controller "kured" is not one of flux-source-controller, flux-helm-controller, cert-manager, external-secrets, velero, argo-workflows`},
		"no place":          {"velero", "", `"velero" is not NAME=NAMESPACE/DEPLOYMENT`},
		"no Deployment":     {"velero=backup", "", `"velero=backup" is not NAME=NAMESPACE/DEPLOYMENT`},
		"not a namespace":   {"velero=Back_up/velero", "", "is not NAME=NAMESPACE/DEPLOYMENT"},
		"a path as a place": {"velero=backup/a/b", "", "is not NAME=NAMESPACE/DEPLOYMENT"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			list, err := Place(DefaultControllers, test.text)
			if test.name == "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("have error %v, want %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				if place := c.Namespace + "/" + c.Deployment; c.Name == test.name && place != test.want {
					t.Errorf("%s is at %s, want %s", c.Name, place, test.want)
				}
			}
			if DefaultControllers[4].Namespace != "velero" {
				t.Error("the defaults were changed")
			}
		})
	}
}
