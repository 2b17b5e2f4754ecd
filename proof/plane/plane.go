// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"os"

	"github.com/tristate/tristate/proof/plane/process"
)

type (
	// Options configure a control plane that a test starts for itself.
	Options = process.Options
	// Plane is a control plane that a test has for itself.
	Plane = process.Plane
)

// ErrNotBuilt is the error of package process.
var ErrNotBuilt = process.ErrNotBuilt

// Start starts a control plane, as in package process.
func Start(ctx context.Context, opts Options) (*Plane, error) {
	patient()
	return process.Start(ctx, opts)
}

// patient makes the clients of this process, and of those that it starts, wait for a server that a busy machine lets answer late: without
// it a connection that is silent for 45 seconds is lost, with every request on it.
func patient() {
	const ping = "HTTP2_PING_TIMEOUT_SECONDS" // of apimachinery, for each new transport
	if os.Getenv(ping) == "" {
		_ = os.Setenv(ping, "300") // the name is valid
	}
}
