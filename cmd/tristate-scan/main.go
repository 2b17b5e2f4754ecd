// SPDX-License-Identifier: Apache-2.0

// Command tristate-scan prints what the Go code below a folder writes into conditions, as JSON. tristate check --source and tristate infer
// --code run it.
package main

import (
	"os"

	"github.com/tristate/tristate/internal/declare/source/scan"
)

func main() { os.Exit(scan.Main(os.Args[1:], os.Stdout, os.Stderr)) }
