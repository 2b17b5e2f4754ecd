// SPDX-License-Identifier: Apache-2.0

// Command vworkspace-claim makes keys, issues approval claims, and shows them; see package approver.
package main

import (
	"os"
	"time"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/approver"
)

func main() { os.Exit(approver.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, time.Now())) }
