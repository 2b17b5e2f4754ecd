// SPDX-License-Identifier: Apache-2.0

package echo

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// PushPath is where routers push their status: POST PushPath + NAMESPACE/SANDBOX, with the token of the router as bearer.
const PushPath = "/router/v1/policy-status/"

// Pushed serves pushed statuses. A status of a router that is not polled is refused.
func (p *Poller) Pushed() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+PushPath+"{namespace}/{name}", func(w http.ResponseWriter, r *http.Request) {
		p.open()
		sandbox := types.NamespacedName{Namespace: r.PathValue("namespace"), Name: r.PathValue("name")}
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer || !p.watched(sandbox) {
			http.Error(w, "not authorized", http.StatusUnauthorized)
			return
		}
		token, err := p.Token(r.Context(), sandbox)
		if err != nil || subtle.ConstantTimeCompare([]byte(token), []byte(given)) != 1 {
			http.Error(w, "not authorized", http.StatusUnauthorized)
			return
		}
		entries, err := read(http.MaxBytesReader(w, r.Body, MaxBody+1))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p.Store.Set(sandbox, Report{Entries: entries})
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}
