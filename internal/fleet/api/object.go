// SPDX-License-Identifier: Apache-2.0

package api

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Row is an object with its verdict, as a table shows it: an item of `-o json` without what only [Why] needs.
type Row struct {
	ID         string           `json:"id"`                // see [ID]
	Cluster    string           `json:"cluster,omitempty"` // a context of the kubeconfig; empty where there is one source
	Object     render.ObjectRef `json:"object"`
	Verdict    verdict.Status   `json:"verdict"` // Current, InProgress, Degraded, Failed, Suspended, Terminating, NotFound or Unknown
	Ready      bool             `json:"ready"`
	Overdue    bool             `json:"overdue,omitempty"`
	Type       string           `json:"type,omitempty"` // of the condition that decides
	Reason     string           `json:"reason,omitempty"`
	Severity   string           `json:"severity,omitempty"`
	Message    string           `json:"message,omitempty"` // at most 256 bytes; whole in [Why]
	Since      *time.Time       `json:"since,omitempty"`
	Confidence string           `json:"confidence"`
	Rule       string           `json:"rule,omitempty"`
	Owner      string           `json:"owner,omitempty"` // the id of the controller that owns it
	Cause      string           `json:"cause,omitempty"` // the id of the cause that explains it, in [Overview]
	Flapping   bool             `json:"flapping,omitempty"`
	StaleSince *time.Time       `json:"staleSince,omitempty"` // its cluster does not answer since then
}

// ID names an object of a cluster.
type ID struct {
	Cluster string
	relation.ID
}

// String returns cluster/Kind.group/namespace/name with each part escaped as in the path of a URL; the group and its point are left out for
// the core group, and a cluster-scoped object has an empty namespace.
func (id ID) String() string {
	return url.PathEscape(id.Cluster) + "/" + url.PathEscape(id.GroupKind.String()) + "/" + url.PathEscape(id.Namespace) + "/" +
		url.PathEscape(id.Name)
}

// ParseID reads the result of [ID.String].
func ParseID(text string) (ID, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 4 {
		return ID{}, fmt.Errorf("id %q: want cluster/Kind.group/namespace/name", text)
	}
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return ID{}, fmt.Errorf("id %q: %w", text, err)
		}
		parts[i] = plain
	}
	id := ID{Cluster: parts[0]}
	kind, group, _ := strings.Cut(parts[1], ".")
	id.GroupKind = schema.GroupKind{Group: group, Kind: kind}
	id.Namespace, id.Name = parts[2], parts[3]
	if kind == "" || id.Name == "" {
		return ID{}, fmt.Errorf("id %q: the kind or the name is empty", text)
	}
	return id, nil
}

// Hidden is a type of objects that the reader may not list everywhere. Only those that the reader may list are counted.
type Hidden struct {
	Cluster   string `json:"cluster,omitempty"`
	Resource  string `json:"resource"`            // as pods or machines.cluster.x-k8s.io
	Namespace string `json:"namespace,omitempty"` // empty: in some namespaces, or all
}

// Counts are numbers of objects by verdict.
type Counts struct {
	Total     int            `json:"total"`
	Unhealthy int            `json:"unhealthy"`
	Overdue   int            `json:"overdue"`
	Verdicts  map[string]int `json:"verdicts"`
}

// Error is the answer to a request that failed.
type Error struct {
	Error ErrorBody `json:"error"`
}

// ErrorBody is what went wrong.
type ErrorBody struct {
	Code    string `json:"code"` // Unauthorized, Forbidden, NotFound, Invalid, Unavailable, TooMany or Internal
	Message string `json:"message"`
}
