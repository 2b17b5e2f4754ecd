// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"testing"

	"github.com/tristate/tristate/proof/plane"
)

func TestMain(m *testing.M) { plane.Main(m) }
