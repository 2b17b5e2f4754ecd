// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"net/http"
	"strings"
)

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
