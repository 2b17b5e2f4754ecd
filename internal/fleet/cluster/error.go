// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
)

// Reason classifies an error of reading, in one word.
type Reason string

// The reasons.
const (
	NotFound    Reason = "NotFound"    // the object does not exist
	NotServed   Reason = "NotServed"   // the server does not have the type
	Forbidden   Reason = "Forbidden"   // a permission is missing, or the credentials are not accepted
	Invalid     Reason = "Invalid"     // the server refuses the question, such as a selector
	Unreachable Reason = "Unreachable" // there was no answer, or not in time
	Failed      Reason = "Failed"      // the server answered with an error of its own, or with something else than a list
	Ended       Reason = "Ended"       // the context of the command ended first
	Served      Reason = "Served"      // it can be read: the state of an [Event] alone
)

// Error is a request that failed.
type Error struct {
	Verb            string // get, list, watch, or find: the discovery of a type
	Resource        string // deployments.apps; for find the word that was asked for
	Namespace, Name string // empty: every one
	Near            string // the type that was probably meant, where the server does not have one; empty without one
	Aside           bool   // what was to be read is no part of an answer, and can only explain one
	Err             error
}

// Find is the verb of an error of discovery.
const Find = "find"

// deniedUser finds the user in the answer of an API server whose authorizer permits nothing; other answers have reasons of their own.
var deniedUser = regexp.MustCompile(`is forbidden: User "([^"]*)" cannot [^:]*$`)

// Error returns one line with the request and the reason.
func (e *Error) Error() string {
	switch e.Reason() {
	case NotServed:
		text := fmt.Sprintf("the server has no type %q", e.Resource)
		if e.Near != "" {
			text += fmt.Sprintf("; did you mean %s?", e.Near)
		}
		return text
	case NotFound:
		return e.Err.Error()
	case Forbidden:
		if apierrors.IsUnauthorized(e.Err) {
			return fmt.Sprintf("%s: the server does not accept the credentials", e.question())
		}
		text := mayNot(e.Verb, e.Resource, e.Namespace)
		if user := deniedUser.FindStringSubmatch(e.Err.Error()); user != nil {
			return fmt.Sprintf("%s (user %s)", text, user[1])
		}
		return text + ": " + oneLine(e.Err)
	case Unreachable:
		return fmt.Sprintf("%s: the server cannot be reached: %s", e.question(), oneLine(e.Err))
	}
	return fmt.Sprintf("%s: %s", e.question(), oneLine(e.Err))
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// question returns the request in words: list secrets in namespace shop.
func (e *Error) question() string {
	switch {
	case e.Verb == Find && e.Resource == allTypes:
		return "find the types"
	case e.isVersion():
		return "find the types of " + e.Resource
	case e.Verb == Find:
		return fmt.Sprintf("find type %q", e.Resource)
	}
	text := e.Verb + " " + e.Resource
	if e.Name != "" {
		text += "/" + e.Name
	}
	if e.Namespace != "" {
		text += " in namespace " + e.Namespace
	}
	return text
}

// isVersion reports whether the error is about the discovery of one version of a group.
func (e *Error) isVersion() bool { return e.Verb == Find && strings.Contains(e.Resource, "/") }

// Reason classifies the error.
func (e *Error) Reason() Reason { return ReasonOf(e.Err) }

// Steady reports whether the same request will fail again: a permission is missing, or what it asks for does not exist.
func (e *Error) Steady() bool {
	return slices.Contains([]Reason{Forbidden, NotServed, NotFound}, e.Reason())
}

// ReasonOf classifies an error of a request.
func ReasonOf(err error) Reason {
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return Ended
	case meta.IsNoMatchError(err):
		return NotServed
	case apierrors.IsNotFound(err):
		return NotFound
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return Forbidden
	case apierrors.IsBadRequest(err), apierrors.IsInvalid(err):
		return Invalid
	case apierrors.IsServiceUnavailable(err), apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsTooManyRequests(err):
		return Unreachable
	case errors.As(err, &status):
		return Failed
	case isTransport(err):
		return Unreachable
	}
	return Failed
}

// isTransport reports whether a request failed before there was an answer.
func isTransport(err error) bool {
	var request *url.Error
	var timeout interface{ Timeout() bool }
	return errors.As(err, &request) || errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, errNoAnswer)
}

// withoutURL returns an error without the URL of the request that it is about.
func withoutURL(err error) error {
	if request, ok := errors.AsType[*url.Error](err); ok {
		return request.Err
	}
	return err
}

// serverOf returns host and port of the request that an error is about, where the error has it.
func serverOf(err error) string {
	if request, ok := errors.AsType[*url.Error](err); ok {
		if u, err := url.Parse(request.URL); err == nil {
			return u.Host
		}
	}
	return ""
}

// oneLine returns the message of an error in one line, without the URL of a request.
func oneLine(err error) string {
	text := strings.Join(strings.Fields(withoutURL(err).Error()), " ")
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errNoAnswer) {
		text = "no answer in time"
		if server := serverOf(err); server != "" {
			text = "no answer from " + server + " in time"
		}
	}
	return text
}

// Summary returns one line about everything that could not be read: "secrets, jobs.batch (forbidden); widgets.example.org (EOF)".
// A failure without a reason of its own, and one of a version of a group, has the error of the server instead. It is empty without errors.
func Summary(errs []*Error) string {
	byReason := map[string][]string{}
	var reasons []string
	for _, e := range errs {
		r := strings.ToLower(string(e.Reason()))
		if e.Reason() == Failed || e.isVersion() {
			r = oneLine(e.Err)
		}
		if byReason[r] == nil {
			reasons = append(reasons, r)
		}
		if !slices.Contains(byReason[r], e.Resource) {
			byReason[r] = append(byReason[r], e.Resource)
		}
	}
	slices.Sort(reasons)
	parts := make([]string, len(reasons))
	for i, r := range reasons {
		names := byReason[r]
		slices.Sort(names)
		if more := len(names) - 8; more > 0 {
			names = append(names[:8:8], fmt.Sprintf("%d more", more))
		}
		parts[i] = fmt.Sprintf("%s (%s)", strings.Join(names, ", "), r)
	}
	return strings.Join(parts, "; ")
}

// SortErrors puts errors into a stable order and drops duplicates, first those that are aside.
func SortErrors(errs []*Error) []*Error {
	aside := map[bool]int{true: 1}
	slices.SortStableFunc(errs, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Verb, b.Verb), cmp.Compare(aside[a.Aside], aside[b.Aside]))
	})
	return slices.CompactFunc(errs, func(a, b *Error) bool {
		return a.Resource == b.Resource && a.Namespace == b.Namespace && a.Name == b.Name && a.Verb == b.Verb
	})
}

// IsAnswer reports whether an error is about a request to an API server: its answer, or that none came.
func IsAnswer(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) || meta.IsNoMatchError(err) || isTransport(err)
}
