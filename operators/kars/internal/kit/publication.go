// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"
	"strings"

	"github.com/tristate/tristate/operator"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Publication has the facts about an object that publishes an artifact for the routers.
type Publication struct {
	Problems     []string // of the spec
	Absent       []string // siblings that the spec names and that do not exist, as "McpServer wiki"
	WriteError   error    // of the artifact, or of fetching the bundle
	Loads        bool     // the artifact has content that a router loads
	Digest       string   // that routers report
	BundleDigest string
	Enforced     Enforcement
	Waiting      operator.Waiting
}

// Written reports whether the artifact is published.
func (f Publication) Written() bool { return len(f.Problems) == 0 && f.WriteError == nil }

// Missing names the siblings that do not exist.
func (f Publication) Missing() string { return "there is no " + strings.Join(f.Absent, ", ") }

// ReadyCondition is the condition Ready of such an object, as its generated pass has it.
type ReadyCondition interface {
	Reconciled(message string)
	NoSandboxesReferencing(message string)
	AwaitingRouterEnforcement(message string)
	RouterEnforcing(message string)
}

// ProgressingCondition is its condition Progressing.
type ProgressingCondition interface {
	Reconciled(message string)
	AwaitingRouterEnforcement(message string)
	TimedOut(message string)
}

// Judge reports how far the routers are with an artifact that is published. nothing is the message where it has no content for them.
func (f Publication) Judge(ready ReadyCondition, progressing ProgressingCondition, nothing string) {
	text := f.Enforced.String()
	switch {
	case !f.Loads:
		ready.Reconciled(nothing)
		progressing.Reconciled("")
	case f.Enforced.Referrers == 0:
		ready.NoSandboxesReferencing("")
		progressing.Reconciled("")
	case f.Enforced.Done():
		ready.RouterEnforcing(text)
		progressing.Reconciled("")
	case f.Waiting.TimedOut:
		ready.AwaitingRouterEnforcement(text)
		progressing.TimedOut(text)
	default:
		ready.AwaitingRouterEnforcement(text)
		progressing.AwaitingRouterEnforcement(text)
	}
}

// Warn records an event where routers have not loaded an artifact that is new: before is the digest that was stored before the pass.
func (f Publication) Warn(before string, warn func(reason, note string)) {
	if f.WriteError == nil && f.Enforced.Referrers > 0 && !f.Enforced.Done() && before != f.Digest {
		warn("PolicyNotEnforced", f.Enforced.String())
	}
}

// Sibling is an object that a spec names.
type Sibling struct {
	Name   string // empty: none is named
	Object client.Object
	Kind   string
}

// Absent returns the siblings that do not exist in a namespace, as "McpServer wiki".
func (e *Env) Absent(ctx context.Context, namespace string, siblings ...Sibling) (absent []string, err error) {
	for _, s := range siblings {
		if s.Name == "" {
			continue
		}
		exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: namespace, Name: s.Name}, s.Object)
		if err != nil {
			return nil, err
		}
		if !exists {
			absent = append(absent, s.Kind+" "+s.Name)
		}
	}
	return absent, nil
}
