// SPDX-License-Identifier: Apache-2.0

package controller

// The limits of writing against resistance, for tests of the whole controller.
const (
	FreeReverts  = freeReverts
	FreeRewrites = freeRewrites
)
