// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Auth is the state of the credential.
type Auth string

// The states of a credential.
const (
	AuthUnknown  Auth = ""         // it was not tried yet
	AuthAccepted Auth = "Accepted" // by the last answer
	AuthRejected Auth = "Rejected" // 401 or 403
	AuthFailed   Auth = "Failed"   // it could not be presented, or the answer was malformed
	AuthExpired  Auth = "Expired"  // its time is over and rotation failed
)

// Link is the state of the connection. The zero value has tried nothing.
type Link struct {
	Since       time.Time // of the first attempt
	LastSuccess time.Time // last answer; zero: none
	Error       string    // why the last attempt failed; empty: it did not
	Registered  bool      // there is a credential
	Beat        bool      // a heartbeat succeeded since the registration
	Auth        Auth
	AuthError   string
	Expires     time.Time // of the credential; zero: not known
}

// Tried reports whether an attempt has ended.
func (l Link) Tried() bool { return !l.LastSuccess.IsZero() || l.Error != "" || l.AuthError != "" }

// OK reports whether jobs and events may be sent.
func (l Link) OK() bool { return l.Error == "" && l.Auth == AuthAccepted }

// answered records the outcome of a request. A refusal is contact all the same.
func (l *Link) answered(err error, now time.Time) {
	if l.Since.IsZero() {
		l.Since = now
	}
	var status *StatusError
	switch {
	case err == nil:
		l.LastSuccess, l.Error, l.Auth, l.AuthError = now, "", AuthAccepted, ""
	case rejected(err):
		l.LastSuccess, l.Error, l.Auth, l.AuthError = now, "", AuthRejected, err.Error()
	case errors.As(err, &status) && status.Code >= 500:
		l.Error = err.Error()
	case errors.As(err, &status) && status.Code == 429:
		l.LastSuccess, l.Error = now, ""
	case errors.As(err, &status), errors.Is(err, errMalformed):
		l.LastSuccess, l.Error, l.Auth, l.AuthError = now, "", AuthFailed, err.Error()
	case refusedByTLS(err):
		l.Error, l.Auth, l.AuthError = err.Error(), AuthFailed, err.Error()
	default:
		l.Error = err.Error()
	}
}

// expire records that rotation failed, or that the credential was rejected: once its time is over it is expired.
func (l *Link) expire(now time.Time, err error) {
	if !l.Expires.IsZero() && !now.Before(l.Expires) {
		l.Auth, l.AuthError = AuthExpired, "the credential has expired and was not rotated: "+err.Error()
	}
}

// attempt is the state of the connection that a request begins with. The epoch is another one after every change of the configuration, of
// the credential, of its acceptance, and of whether the control plane can be reached: the answer to a request that began before is late.
//
//	poll ──────────────────────────────▶ 200   late: the credential stays rejected, and the jobs are not carried out
//	heartbeat ──▶ 401  epoch + 1
type attempt struct {
	epoch  uint64
	config Config
	client *Client
	stored *Stored
	print  string
}

// errLate is an answer that changes nothing.
var errLate = errors.New("the state of the connection has changed since the request began")

// begin returns the state of now.
func (a *Agent) begin() attempt {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.attempt()
}

// attempt is begin for a caller that holds the lock.
func (a *Agent) attempt() attempt { return attempt{a.epoch, a.config, a.client, a.stored, a.print} }

// late reports whether the state has changed since.
func (a *Agent) late(at attempt) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.epoch != at.epoch
}

// self is what heartbeats report.
type self struct {
	ref        ResourceRef
	conditions []Condition
}

// Report sets the object that heartbeats report against, and its conditions.
func (a *Agent) Report(ref ResourceRef, conditions []Condition) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.self = self{ref, conditions}
}

// ConditionsOf returns conditions as an event has them.
func ConditionsOf(list []metav1.Condition) (out []Condition) {
	for _, c := range list {
		out = append(out, Condition{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message})
	}
	return out
}
