// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"time"
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

// persistent is how many server errors in a row count as unreachable.
const persistent = 2

// Link is the state of the connection. The zero value has tried nothing.
type Link struct {
	Since       time.Time // of the first attempt
	LastSuccess time.Time // last answer; zero: none
	Error       string    // why the last attempt failed; empty: it did not
	Unsure      string    // a server error that does not count as a failure yet
	Registered  bool      // there is a credential
	Beat        bool      // a heartbeat succeeded since the registration
	Auth        Auth
	AuthError   string
	Expires     time.Time // of the credential; zero: not known

	serverErrors int
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
	l.Unsure = ""
	var status *StatusError
	switch {
	case err == nil:
		l.LastSuccess, l.Error, l.serverErrors, l.Auth, l.AuthError = now, "", 0, AuthAccepted, ""
	case rejected(err):
		l.LastSuccess, l.Error, l.serverErrors, l.Auth, l.AuthError = now, "", 0, AuthRejected, err.Error()
	case errors.As(err, &status) && status.Code >= 500:
		l.Unsure = err.Error()
		if l.serverErrors++; l.serverErrors >= persistent || l.LastSuccess.IsZero() {
			l.Error = err.Error()
		}
	case errors.As(err, &status) && status.Code == 429:
		l.LastSuccess, l.Error, l.serverErrors = now, "", 0
	case errors.As(err, &status), errors.Is(err, errMalformed):
		l.LastSuccess, l.Error, l.serverErrors, l.Auth, l.AuthError = now, "", 0, AuthFailed, err.Error()
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
