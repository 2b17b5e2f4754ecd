// SPDX-License-Identifier: Apache-2.0

package serve

import (
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client metrics of kube components
	_ "k8s.io/component-base/metrics/prometheus/version"  // their version metric

	"github.com/tristate/tristate/proof/localplane/internal/components"
	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// All are the components of this package.
var All = map[string]components.Run{
	supervisor.Etcd:      runEtcd,
	supervisor.APIServer: runAPIServer,
}
