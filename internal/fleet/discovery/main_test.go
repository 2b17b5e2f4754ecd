// SPDX-License-Identifier: Apache-2.0

package discovery

import (
	"testing"

	"github.com/tristate/tristate/proof/plane"
)

func TestMain(m *testing.M) { plane.Main(m) }
