// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"log/slog"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// Options configures [New]. Config and Catalogs are needed; the zero value of the others is a sensible default.
type Options struct {
	Config   *rest.Config
	Catalogs *catalog.Set
	Log      *slog.Logger
	// Manager is the field manager that the controller writes as, and the name by which catalogs put kinds under its management.
	// Default [apply.Manager].
	Manager string
	// Manage lists kinds to manage in addition to those that their catalogs put under Manager. All others are only read.
	Manage []schema.GroupKind
	// Adopt lists kinds whose derived types the controller takes over from other managers, in addition to those whose catalogs say it.
	Adopt []schema.GroupKind
	// DryRun is called instead of every write, with the derived conditions of an object as they are stored and as they would be. Nothing is
	// written, not even events; other objects are judged as if it were. It may be called by many goroutines at once.
	DryRun func(object conditions.ObjectRef, before, after []conditions.Condition)
	// Workers is how many objects are judged and written at a time. Default 4.
	Workers int
	// MetricsAddress and HealthAddress are host:port to serve /metrics, and /healthz and /readyz, on. Empty: not served.
	MetricsAddress, HealthAddress string
	// LeaderElect makes one of several replicas work, by a lease in LeaseNamespace (default tristate-system).
	LeaderElect    bool
	LeaseNamespace string
	Clock          clock.WithDelayedExecution
}
