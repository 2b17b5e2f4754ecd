// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import "testing"

func (o *oracle) secrets(t *testing.T) {}
