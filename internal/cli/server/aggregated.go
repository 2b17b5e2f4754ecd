// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/rows"
	authentication "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Aggregated serves verdicts as an API of the cluster, so that its clients show them: kubectl get verdicts -A. Only the API server is let
// in, by a certificate of the authority that it names; who asks is in the headers that it adds. A reader sees what [Review] lets it see.
//
//	kubectl ──> API server: may the user list verdicts? ── certificate, X-Remote-User ──> Aggregated: which kinds may they list?
type Aggregated struct {
	fleet  *rows.Fleet
	review *Review

	mu    sync.Mutex
	proxy *frontProxy
	until time.Time // when proxy is read again
}

// NewAggregated returns the handler. It serves TLS that asks for the certificate of its client.
func NewAggregated(fleet *rows.Fleet, review *Review) *Aggregated {
	return &Aggregated{fleet: fleet, review: review}
}

// frontProxy is how the API server makes itself known to the servers to which it passes requests on.
type frontProxy struct {
	authority                       *x509.CertPool
	names, user, uid, groups, extra []string // common names; headers
}

// proxyAge is how long it counts. A certificate that is not accepted makes it be read again, at most once in proxyPause.
const (
	proxyAge   = time.Minute
	proxyPause = 5 * time.Second
)

// readProxy reads what the API server publishes about itself.
func (a *Aggregated) readProxy(ctx context.Context) (*frontProxy, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.review.now(); a.proxy != nil && now.Before(a.until) {
		return a.proxy, nil
	}
	const namespace, name = "kube-system", "extension-apiserver-authentication"
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	published, err := a.review.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(namespace).
		Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("how the API server makes itself known: %w", err)
	}
	data, _, _ := unstructured.NestedStringMap(published.Object, "data")
	p := &frontProxy{authority: x509.NewCertPool()}
	if !p.authority.AppendCertsFromPEM([]byte(data["requestheader-client-ca-file"])) {
		return nil, fmt.Errorf("ConfigMap %s/%s has no requestheader-client-ca-file: aggregation is not configured", namespace, name)
	}
	for key, into := range map[string]*[]string{"requestheader-allowed-names": &p.names, "requestheader-username-headers": &p.user,
		"requestheader-uid-headers": &p.uid, "requestheader-group-headers": &p.groups, "requestheader-extra-headers-prefix": &p.extra} {
		if text := data[key]; text != "" {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				return nil, fmt.Errorf("ConfigMap %s/%s: %s: %w", namespace, name, key, err)
			}
		}
	}
	a.proxy, a.until = p, a.review.now().Add(proxyAge)
	return p, nil
}

// userOf returns who asks, according to the API server. A request of anyone else is refused, whatever its headers say.
func (a *Aggregated) userOf(r *http.Request) (authentication.UserInfo, error) {
	p, err := a.readProxy(r.Context())
	if err != nil {
		return authentication.UserInfo{}, &problem{http.StatusServiceUnavailable, string(metav1.StatusReasonServiceUnavailable), err.Error()}
	}
	if !p.knows(r, a.review.now()) {
		a.mu.Lock() // its authority may have changed
		a.until = slices.MinFunc([]time.Time{a.until, a.review.now().Add(proxyPause)}, time.Time.Compare)
		a.mu.Unlock()
		return authentication.UserInfo{}, fmt.Errorf("only the API server is answered: %w", ErrUnauthorized)
	}
	info := authentication.UserInfo{Username: first(r.Header, p.user), UID: first(r.Header, p.uid),
		Extra: map[string]authentication.ExtraValue{}}
	for _, name := range p.groups {
		info.Groups = append(info.Groups, r.Header.Values(name)...)
	}
	for _, prefix := range p.extra {
		for name, values := range r.Header {
			if len(name) <= len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) {
				continue
			}
			key := strings.ToLower(name[len(prefix):])
			if plain, err := url.PathUnescape(key); err == nil {
				key = plain
			}
			info.Extra[key] = append(info.Extra[key], values...)
		}
	}
	if info.Username == "" {
		return info, fmt.Errorf("the API server names no user: %w", ErrUnauthorized)
	}
	return info, nil
}

// knows reports whether a request is from the API server.
func (p *frontProxy) knows(r *http.Request, now time.Time) bool {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return false
	}
	shown, between := r.TLS.PeerCertificates[0], x509.NewCertPool()
	for _, c := range r.TLS.PeerCertificates[1:] {
		between.AddCert(c)
	}
	_, err := shown.Verify(x509.VerifyOptions{Roots: p.authority, Intermediates: between, CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	return err == nil && (len(p.names) == 0 || slices.Contains(p.names, shown.Subject.CommonName))
}

func first(h http.Header, names []string) string {
	for _, name := range names {
		if value := h.Get(name); value != "" {
			return value
		}
	}
	return ""
}

// aggregatedVersion is the version of the API.
var aggregatedVersion = schema.GroupVersion{Group: api.AggregatedGroup, Version: api.AggregatedVersion}

// aggregatedResources are the resources: a namespaced object has its verdict in its namespace.
var aggregatedResources = []metav1.APIResource{
	{Name: "verdicts", SingularName: "verdict", Namespaced: true, Kind: "Verdict", Verbs: metav1.Verbs{"get", "list"}},
	{Name: "clusterverdicts", SingularName: "clusterverdict", Kind: "ClusterVerdict", Verbs: metav1.Verbs{"get", "list"}},
}

// ServeHTTP implements http.Handler.
func (a *Aggregated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writing))
	if path := r.URL.Path; path == "/healthz" || path == "/livez" || path == "/readyz" {
		text(w, http.StatusOK, "ok\n")
		return
	}
	answer, err := a.answer(r)
	if err != nil {
		p := problemOf(err)
		write(w, p.status, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
			Code: int32(p.status), Reason: metav1.StatusReason(p.code), Message: p.message})
		return
	}
	write(w, http.StatusOK, answer)
}

func (a *Aggregated) answer(r *http.Request) (any, error) {
	info, err := a.userOf(r)
	if err != nil {
		return nil, err
	}
	if r.Method != http.MethodGet {
		return nil, &problem{http.StatusMethodNotAllowed, string(metav1.StatusReasonMethodNotAllowed), "verdicts are only read"}
	}
	version := metav1.GroupVersionForDiscovery{GroupVersion: aggregatedVersion.String(), Version: aggregatedVersion.Version}
	group := metav1.APIGroup{TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}, Name: aggregatedVersion.Group,
		Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version}
	switch rest, found := strings.CutPrefix(r.URL.Path, "/apis/"+aggregatedVersion.String()); {
	case r.URL.Path == "/apis":
		return metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{group}}, nil
	case r.URL.Path == "/apis/"+aggregatedVersion.Group:
		return group, nil
	case found && rest == "":
		return metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: aggregatedVersion.String(), APIResources: aggregatedResources}, nil
	case found && strings.HasPrefix(rest, "/"):
		return a.verdicts(r, a.review.as(r.Context(), info), strings.Split(rest[1:], "/"))
	}
	return nil, missing("there is no such path")
}

func missing(message string) error {
	return &problem{http.StatusNotFound, string(metav1.StatusReasonNotFound), message}
}

// verdicts answers the path RESOURCE[/NAME] or namespaces/NAMESPACE/RESOURCE[/NAME].
func (a *Aggregated) verdicts(r *http.Request, who Reader, path []string) (any, error) {
	q := rows.Query{}
	if len(path) > 2 && path[0] == "namespaces" {
		q.Namespaces, path = []string{path[1]}, path[2:]
	}
	at := slices.IndexFunc(aggregatedResources, func(r metav1.APIResource) bool { return r.Name == path[0] })
	if at < 0 || len(path) > 2 || !aggregatedResources[at].Namespaced && q.Namespaces != nil {
		return nil, missing("there is no such resource")
	}
	resource := aggregatedResources[at]
	if q.Namespaced = resource.Namespaced; !q.Namespaced {
		q.Namespaces = []string{""}
	}
	for _, source := range a.fleet.Sources() {
		if !source.Ready() {
			return nil, &problem{http.StatusServiceUnavailable, string(metav1.StatusReasonServiceUnavailable), "the first lists are not complete"}
		}
	}
	fleet := a.fleet.As(who.Rights)
	if len(path) == 2 {
		return oneVerdict(fleet, q, resource, path[1], wantsTable(r))
	}
	return listVerdicts(fleet, q, resource, r)
}

func oneVerdict(fleet *rows.Fleet, q rows.Query, resource metav1.APIResource, name string, table bool) (any, error) {
	if _, own, found := strings.Cut(name, ":"); found {
		q.Words = []string{strings.ToLower(own)}
		w := fleet.Window(q, "problems", 0, 1<<30)
		for i := range w.Rows {
			if v := verdictOf(&w.Rows[i], resource.Kind); v.Name == name && table {
				return tableOf([]api.Verdict{v}, metav1.ListMeta{}, w.Now), nil
			} else if v.Name == name {
				return v, nil
			}
		}
	}
	return nil, missing(fmt.Sprintf("%s %q not found, or you may not list the object", resource.Name, name))
}

// listVerdicts answers a list, the worst first. A page begins at an offset into that order.
func listVerdicts(fleet *rows.Fleet, q rows.Query, resource metav1.APIResource, r *http.Request) (any, error) {
	v := r.URL.Query()
	bad := func(err error) error {
		return &problem{http.StatusBadRequest, string(metav1.StatusReasonBadRequest), err.Error()}
	}
	if watch := v.Get("watch"); watch != "" && watch != "false" && watch != "0" {
		return nil, &problem{http.StatusMethodNotAllowed, string(metav1.StatusReasonMethodNotAllowed), "verdicts cannot be watched"}
	}
	selector, err := labels.Parse(v.Get("labelSelector"))
	if err != nil {
		return nil, bad(err)
	}
	if !selector.Empty() {
		q.Label = selector
	}
	chosen, err := fields.ParseSelector(v.Get("fieldSelector"))
	if err != nil {
		return nil, bad(err)
	}
	for _, one := range chosen.Requirements() {
		if one.Field != "metadata.name" && one.Field != "metadata.namespace" {
			return nil, bad(fmt.Errorf("field selector %s: only metadata.name and metadata.namespace are known", one.Field))
		}
	}
	offset, limit := 0, 1<<30
	for name, into := range map[string]*int{"continue": &offset, "limit": &limit} {
		if text := v.Get(name); text != "" && text != "0" {
			if *into, err = strconv.Atoi(text); err != nil || *into < 0 {
				return nil, bad(fmt.Errorf("%s: %q is no number", name, text))
			}
		}
	}
	w := fleet.Window(q, "problems", offset, limit)
	out := api.VerdictList{TypeMeta: metav1.TypeMeta{Kind: resource.Kind + "List", APIVersion: aggregatedVersion.String()}, Items: []api.Verdict{}}
	out.ResourceVersion = strconv.FormatUint(w.Seq, 10)
	if next := offset + len(w.Rows); next < w.Filtered && len(w.Rows) > 0 {
		rest := int64(w.Filtered - next)
		out.Continue, out.RemainingItemCount = strconv.Itoa(next), &rest
	}
	for i := range w.Rows {
		one := verdictOf(&w.Rows[i], resource.Kind)
		if chosen.Matches(fields.Set{"metadata.name": one.Name, "metadata.namespace": one.Namespace}) {
			out.Items = append(out.Items, one)
		}
	}
	if wantsTable(r) {
		return tableOf(out.Items, out.ListMeta, w.Now), nil
	}
	return out, nil
}

func verdictOf(r *api.Row, kind string) api.Verdict {
	gv, _ := schema.ParseGroupVersion(r.Object.APIVersion) // without a group if it cannot be read
	id := relation.ID{GroupKind: schema.GroupKind{Group: gv.Group, Kind: r.Object.Kind}}
	return api.Verdict{TypeMeta: metav1.TypeMeta{Kind: kind, APIVersion: aggregatedVersion.String()},
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Object.Namespace, UID: types.UID(r.ID),
			Name: strings.ToLower(id.GroupKind.String()) + ":" + r.Object.Name},
		Status: *r}
}

// wantsTable reports whether a request prefers a table, as those of kubectl get do.
func wantsTable(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "as=Table")
}

func tableOf(items []api.Verdict, meta metav1.ListMeta, now time.Time) metav1.Table {
	out := metav1.Table{TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"}, ListMeta: meta, Rows: []metav1.TableRow{},
		ColumnDefinitions: []metav1.TableColumnDefinition{
			{Name: "Name", Type: "string", Format: "name", Description: "The kind, the group and the name of the object."},
			{Name: "Verdict", Type: "string", Description: "One word about the object."},
			{Name: "Reason", Type: "string", Description: "The reason of the condition or rule that decides."},
			{Name: "For", Type: "string", Description: "How long the verdict holds."},
			{Name: "Message", Type: "string", Description: "The message of the object."}}}
	for i := range items {
		v := &items[i]
		age := "<unknown>"
		if v.Status.Since != nil {
			age = duration.HumanDuration(now.Sub(*v.Status.Since))
		}
		head := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"},
			ObjectMeta: v.ObjectMeta}
		out.Rows = append(out.Rows, metav1.TableRow{Cells: []any{v.Name, string(v.Status.Verdict), v.Status.Reason, age, v.Status.Message},
			Object: runtime.RawExtension{Object: head}})
	}
	return out
}

// problemOf returns an error with its status of HTTP.
func problemOf(err error) *problem {
	var p *problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, ErrUnauthorized):
		return &problem{http.StatusUnauthorized, "Unauthorized", err.Error()}
	}
	return &problem{http.StatusInternalServerError, "Internal", err.Error()}
}
