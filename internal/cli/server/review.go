// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/fleet/rows"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// The lifetimes of what a review remembers.
const (
	answerAge  = 30 * time.Second // of an answer of the API server
	sessionAge = time.Hour
)

// The limits of what a review remembers; a server that is asked for more answers no.
const (
	mostSessions = 1000
	mostAnswers  = 500_000
	// mostAsked is how many rights of one user are asked for within answerAge: of 20 kinds in 5000 namespaces.
	mostAsked = 100_000
)

// Review signs in by the tokens of a cluster (TokenReview), and lets a reader see the objects of a kind in a namespace if the cluster lets
// it list them there (SubjectAccessReview). It may be used by many goroutines.
type Review struct {
	client    dynamic.Interface
	audiences []string
	now       func() time.Time

	mu       sync.Mutex
	sessions map[string]session
	users    map[[sha256.Size]byte]user // by digest of the token
	answers  map[question]answer
	asked    map[string]asked // by user
}

type session struct {
	token string
	until time.Time
}

type user struct {
	info  authentication.UserInfo
	known bool // to the cluster
	until time.Time
}

// question is one right of one user.
type question struct{ user, verb, group, resource, namespace, path string }

type answer struct {
	yes   bool
	until time.Time
}

type asked struct {
	n     int
	until time.Time
}

// NewReview returns a review by a cluster. audiences are those that tokens have to be for; none: those of the API server.
func NewReview(client dynamic.Interface, audiences []string) *Review {
	return &Review{client: client, audiences: audiences, now: time.Now, sessions: map[string]session{}, users: map[[sha256.Size]byte]user{},
		answers: map[question]answer{}, asked: map[string]asked{}}
}

// Reader implements [Auth].
func (v *Review) Reader(r *http.Request) (Reader, error) {
	info, err := v.userOf(r)
	if err != nil {
		return Reader{}, err
	}
	return v.as(r.Context(), info), nil
}

// as returns the reader that a user is.
func (v *Review) as(ctx context.Context, info authentication.UserInfo) Reader {
	key := keyOf(info)
	ctx = context.WithoutCancel(ctx) // the next request of the reader may ask while this one ends
	may := func(s *rows.Source, kind schema.GroupKind, namespace string) bool {
		resource, namespaced, known := s.Mapping(kind)
		if !known {
			return false
		}
		q := question{user: key, verb: "list", group: resource.Group, resource: resource.Resource}
		if v.may(ctx, info, q) {
			return true
		}
		q.namespace = namespace
		return namespaced && namespace != "" && v.may(ctx, info, q)
	}
	return Reader{User: info.Username, Rights: rows.Rights{Key: key, May: may}}
}

// keyOf returns everything that decides about the rights of a user.
func keyOf(info authentication.UserInfo) string {
	data, _ := json.Marshal(info) // of strings alone; maps are in order
	sum := sha256.Sum256(data)
	return string(sum[:])
}

// Metrics lets a request read /metrics, if its user may get that path.
func (v *Review) Metrics(r *http.Request) error {
	info, err := v.userOf(r)
	if err != nil {
		return err
	}
	if !v.may(r.Context(), info, question{user: keyOf(info), verb: "get", path: "/metrics"}) {
		return &problem{http.StatusForbidden, "Forbidden", "user " + info.Username + " may not get /metrics"}
	}
	return nil
}

// userOf reviews the token of a request: that of the header, or that of its session.
func (v *Review) userOf(r *http.Request) (authentication.UserInfo, error) {
	token := bearerOf(r)
	if token == "" {
		if cookie, err := r.Cookie(cookieName(r)); err == nil {
			v.mu.Lock()
			if s, known := v.sessions[cookie.Value]; known && v.now().Before(s.until) {
				token = s.token
			}
			v.mu.Unlock()
		}
	}
	if token == "" {
		return authentication.UserInfo{}, fmt.Errorf("a token of the cluster is needed: %w", ErrUnauthorized)
	}
	return v.review(r.Context(), token)
}

func (v *Review) review(ctx context.Context, token string) (authentication.UserInfo, error) {
	key := sha256.Sum256([]byte(token)) // a token may be as long as a header
	v.mu.Lock()
	u, ok := v.users[key]
	v.mu.Unlock()
	if !ok || !v.now().Before(u.until) {
		out := authentication.TokenReview{TypeMeta: metav1.TypeMeta{APIVersion: "authentication.k8s.io/v1", Kind: "TokenReview"},
			Spec: authentication.TokenReviewSpec{Token: token, Audiences: v.audiences}}
		ctx, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		if err := v.create(ctx, authentication.SchemeGroupVersion.WithResource("tokenreviews"), &out); err != nil {
			return authentication.UserInfo{}, &problem{http.StatusServiceUnavailable, "Unavailable", "the cluster does not review tokens: " +
				err.Error()}
		}
		u = user{out.Status.User, out.Status.Authenticated, v.now().Add(answerAge)}
		v.remember(key, u)
	}
	if !u.known {
		return authentication.UserInfo{}, fmt.Errorf("the cluster does not know the token: %w", ErrUnauthorized)
	}
	return u.info, nil
}

// remember keeps the answer about a token. A token that the cluster does not know is kept, too: each request would ask about it again.
func (v *Review) remember(key [sha256.Size]byte, u user) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.users) >= mostSessions {
		clear(v.users)
	}
	v.users[key] = u
}

// may asks the cluster, or remembers. Without an answer it is no.
func (v *Review) may(ctx context.Context, info authentication.UserInfo, q question) bool {
	now := v.now()
	v.mu.Lock()
	known, ok := v.answers[q]
	count := v.asked[q.user]
	if now.After(count.until) {
		count = asked{until: now.Add(answerAge)}
	}
	count.n++
	if !ok || now.After(known.until) {
		v.asked[q.user] = count
	}
	v.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.yes
	}
	if count.n > mostAsked {
		return false
	}
	yes, err := v.ask(ctx, info, q)
	if err != nil {
		return false // and asked again by the next request
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.answers) >= mostAnswers {
		clear(v.answers)
		clear(v.asked)
	}
	v.answers[q] = answer{yes, now.Add(answerAge)}
	return yes
}

func (v *Review) ask(ctx context.Context, info authentication.UserInfo, q question) (bool, error) {
	spec := authorization.SubjectAccessReviewSpec{User: info.Username, UID: info.UID, Groups: info.Groups,
		Extra: map[string]authorization.ExtraValue{}}
	for k, list := range info.Extra {
		spec.Extra[k] = authorization.ExtraValue(list)
	}
	if q.path != "" {
		spec.NonResourceAttributes = &authorization.NonResourceAttributes{Path: q.path, Verb: q.verb}
	} else {
		spec.ResourceAttributes = &authorization.ResourceAttributes{Verb: q.verb, Group: q.group, Resource: q.resource, Namespace: q.namespace}
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	out := authorization.SubjectAccessReview{TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SubjectAccessReview"},
		Spec: spec}
	if err := v.create(ctx, authorization.SchemeGroupVersion.WithResource("subjectaccessreviews"), &out); err != nil {
		return false, err
	}
	if out.Status.EvaluationError != "" && !out.Status.Allowed {
		return false, errors.New(out.Status.EvaluationError)
	}
	return out.Status.Allowed && !out.Status.Denied, nil
}

// create sends a review, and replaces it by the answer. The typed clients of client-go would bring every API of Kubernetes into the
// command.
func (v *Review) create(ctx context.Context, resource schema.GroupVersionResource, review any) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(review)
	if err != nil {
		return err
	}
	answered, err := v.client.Resource(resource).Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(answered.Object, review)
}

// begin returns the name of a new session of a token.
func (v *Review) begin(token string) string {
	id := NewToken()
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.now()
	for other, s := range v.sessions {
		if now.After(s.until) || len(v.sessions) >= mostSessions {
			delete(v.sessions, other)
		}
	}
	v.sessions[id] = session{token, now.Add(sessionAge)}
	return id
}

// end ends the session of a request.
func (v *Review) end(r *http.Request) {
	if cookie, err := r.Cookie(cookieName(r)); err == nil {
		v.mu.Lock()
		delete(v.sessions, cookie.Value)
		v.mu.Unlock()
	}
}
