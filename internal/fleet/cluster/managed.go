// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"net/http"
	"strings"

	"github.com/tristate/tristate/internal/declare/nested"
)

// trimManaged drops the managed fields from the metadata of an object. Those of an object that is being deleted stay: they name the
// managers of its finalizers. Two times stay: of an object without conditions that of the last write of its status, as its verdict holds
// since then; and of an object whose spec was edited that of the edit, as what is in progress began then at the earliest.
func trimManaged(object map[string]any) {
	metadata := nested.Map(object, "metadata")
	entries := nested.Maps(metadata, "managedFields")
	if len(entries) == 0 {
		delete(metadata, "managedFields")
		return
	}
	if metadata["deletionTimestamp"] != nil {
		return
	}
	delete(metadata, "managedFields")
	status := nested.Map(object, "status")
	var wrote, edited string // in UTC, to the second
	for _, entry := range entries {
		at := nested.Text(entry, "time")
		switch {
		case entry["subresource"] == "status":
			wrote = max(wrote, at)
		case entry["subresource"] == nil && nested.At(entry, "fieldsV1", "f:spec") != nil:
			edited = max(edited, at)
		}
	}
	var kept []any
	if wrote != "" && len(status) > 0 && len(nested.List(status, "conditions")) == 0 {
		kept = append(kept, map[string]any{"subresource": "status", "time": wrote})
	}
	if edited != "" && nested.Number(metadata, "generation") > 1 {
		kept = append(kept, map[string]any{"time": edited, "fieldsV1": map[string]any{"f:spec": map[string]any{}}})
	}
	if len(kept) > 0 {
		metadata["managedFields"] = kept
	}
}

// metadataOnly are the types of the core group whose metadata alone is read: their data decides no verdict, and may be secret.
var metadataOnly = map[string]bool{"secrets": true, "configmaps": true}

// sparing is a transport that requests nothing but the metadata of objects of the types in metadataOnly, and so never receives their data.
type sparing struct{ next http.RoundTripper }

// RoundTrip is a method of http.RoundTripper.
func (s sparing) RoundTrip(r *http.Request) (*http.Response, error) {
	if kind := metadataKind(r); kind != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Accept", "application/json;as="+kind+";g=meta.k8s.io;v=v1")
	}
	return s.next.RoundTrip(r)
}

// WrappedRoundTripper lets client-go find the transport below.
func (s sparing) WrappedRoundTripper() http.RoundTripper { return s.next }

// metadataKind returns the kind in which to request metadata; empty for a request for whole objects.
func metadataKind(r *http.Request) string {
	_, path, found := strings.Cut(r.URL.Path, "/api/v1/") // a server may stand below a path
	parts := strings.Split(path, "/")
	if len(parts) > 2 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	switch {
	case !found || r.Method != http.MethodGet || !metadataOnly[parts[0]] || len(parts) > 2:
		return ""
	case len(parts) == 1 && r.URL.Query().Get("watch") == "":
		return "PartialObjectMetadataList"
	}
	return "PartialObjectMetadata"
}
