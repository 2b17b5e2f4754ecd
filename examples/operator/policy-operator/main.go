// SPDX-License-Identifier: Apache-2.0

// Command policy-operator runs the operator of docs/guide-first-operator.md on the cluster of the current context. TOOLS names the tools that exist.
//
//	kubectl apply -f examples/toolpolicy/crd.yaml
//	cd examples/operator && TOOLS=saw,drill go run ./policy-operator --leader-elect=false
package main

import (
	"os"
	"strings"

	policy "github.com/tristate/tristate/examples/operator"
	"github.com/tristate/tristate/examples/toolpolicy"
	"github.com/tristate/tristate/operator"
)

func main() {
	options := operator.Options{Name: "policy_operator", Account: "policy-operator", Domain: "example.dev"}
	operator.Main(options, toolpolicy.AddToScheme, policy.Setup(strings.Split(os.Getenv("TOOLS"), ",")))
}
