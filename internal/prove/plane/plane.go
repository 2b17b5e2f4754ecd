// SPDX-License-Identifier: Apache-2.0

package plane

import "github.com/tristate/tristate/internal/prove/plane/process"

// What a test with a control plane of its own needs of package process.
type (
	Options = process.Options
	Plane   = process.Plane
)

// ErrNotBuilt is that of package process.
var ErrNotBuilt = process.ErrNotBuilt

// Start is that of package process.
var Start = process.Start
