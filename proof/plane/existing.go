// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"

	"github.com/tristate/tristate/proof/plane/process"
	"k8s.io/client-go/rest"
)

// loopbackOnly is the value of TRISTATE_USE_KUBECONFIG that accepts any context with a server on this machine.
const loopbackOnly = "1"

// existing returns the configuration of a control plane that the user pointed at: kubeconfig is the value of KUBECONFIG,
// consent the value of TRISTATE_USE_KUBECONFIG.
func existing(kubeconfig, consent string) (*rest.Config, error) {
	if kubeconfig == "" {
		return nil, errors.New("TRISTATE_USE_KUBECONFIG is set, but KUBECONFIG is not: it must name one file")
	}
	if len(filepath.SplitList(kubeconfig)) != 1 {
		return nil, fmt.Errorf("KUBECONFIG %s: must name one file", kubeconfig)
	}
	if consent != loopbackOnly {
		return process.Load(kubeconfig, consent)
	}
	cfg, err := process.Load(kubeconfig, "")
	if err != nil {
		return nil, err
	}
	if !onLoopback(cfg.Host) {
		return nil, fmt.Errorf("kubeconfig %s: server %s is not on this machine; to let tests change it all the same, set "+
			"TRISTATE_USE_KUBECONFIG to the name of its context", kubeconfig, cfg.Host)
	}
	return cfg, nil
}

func onLoopback(server string) bool {
	u, err := url.Parse(server)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && addr.IsLoopback()
}
