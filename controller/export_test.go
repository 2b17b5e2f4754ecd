// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"github.com/tristate/tristate/controller/internal/writeguard"
)

// The limits of writing against resistance, for tests of the whole controller.
const (
	FreeReverts  = writeguard.FreeReverts
	FreeRewrites = writeguard.FreeRewrites
)
