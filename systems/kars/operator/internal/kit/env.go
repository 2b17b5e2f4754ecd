// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/enqueue"
	"github.com/tristate/tristate/systems/kars/operator/internal/artifact"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Settings are what an administrator configures of the kinds.
type Settings struct {
	Namespace         string            // of the operator; empty: kars-system
	InferenceEndpoint string            // of sandboxes; empty: none, and no sandbox runs
	RequireSigned     bool              // lists of destinations must be signed
	MaxTTL            time.Duration     // of grants; 0: a day
	Quorum            Quorum            // of routers that have to confirm a policy; empty: One
	RuntimeImages     map[string]string // adapters: image by runtime kind
	ConfidentialClass string            // runtime class of agents of isolation confidential; empty: none, and they do not run
	RouterImage       string
	RunnerImage       string
	MemoryEndpoint    string // of the memory stores
	PushURL           string // of the address that routers push to; empty: nowhere
}

// Env has everything that the reconcilers of all kinds share. It is set before use and not changed afterwards.
type Env struct {
	*operator.Host
	Settings
	Store   *echo.Store
	Poller  *echo.Poller
	Fetcher *artifact.Fetcher
	Web     *http.Client         // for OIDC discovery: https only
	Logs    kubernetes.Interface // for the reports of evaluations

	Publishing sync.Mutex // of the files of grants

	// Echoes are the sandboxes whose router has reported something new: they wake the reconcilers of the sandbox and of what it refers to.
	Echoes enqueue.Signal
}

// SandboxOf enqueues the sandbox that a child carries the labels of.
func SandboxOf(_ context.Context, child client.Object) []reconcile.Request {
	labels := child.GetLabels()
	return enqueue.Named(labels[LabelSandboxOwner], labels[LabelSandbox])
}
