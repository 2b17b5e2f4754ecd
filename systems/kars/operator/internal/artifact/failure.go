// SPDX-License-Identifier: Apache-2.0

package artifact

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/tristate/tristate/operator/outbound"
)

// The classes of failures.
const (
	SignerPolicyMissing    = "SignerPolicyMissing"
	SignerPolicyMalformed  = "SignerPolicyMalformed"
	InvalidRef             = "InvalidRef"
	Unauthorized           = "Unauthorized"
	NotFound               = "NotFound"
	DigestMismatch         = "DigestMismatch"
	SignatureMissing       = "SignatureMissing"
	SignatureVerifyFailed  = "SignatureVerifyFailed"
	IdentityMismatch       = "IdentityMismatch"
	CanonicalFormViolation = "CanonicalFormViolation"
	Unreachable            = "Unreachable"
)

// Failure is why an artifact was not accepted. Its text is stable as long as the cause is.
type Failure struct {
	Class  string
	Detail string
}

func (f *Failure) Error() string { return f.Class + ": " + f.Detail }

// Unsigned reports whether the artifact has no acceptable signature.
func (f *Failure) Unsigned() bool {
	switch f.Class {
	case SignatureMissing, SignatureVerifyFailed, IdentityMismatch:
		return true
	}
	return false
}

// Transient reports whether nothing was learned about the artifact.
func (f *Failure) Transient() bool { return f.Class == Unreachable }

func failf(class, format string, args ...any) *Failure {
	return &Failure{class, fmt.Sprintf(format, args...)}
}

// fetchFailure classifies an error of a registry.
func fetchFailure(what string, err error) *Failure {
	var answer *transport.Error
	var network net.Error
	var dns *net.DNSError
	var refused *outbound.RefusedError
	var other elsewhere
	switch {
	case errors.As(err, &refused):
		return failf(Unreachable, "%v", refused)
	case errors.As(err, &other):
		return failf(Unreachable, "%v", other)
	case errors.As(err, &answer) && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden):
		return failf(Unauthorized, "the registry refuses the %s with %d", what, answer.StatusCode)
	case errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound:
		return failf(NotFound, "the registry has no such %s", what)
	case errors.As(err, &answer) && answer.StatusCode >= 500, errors.As(err, &answer) && answer.StatusCode == http.StatusTooManyRequests:
		return failf(Unreachable, "the registry answers %d for the %s", answer.StatusCode, what)
	case errors.As(err, &answer):
		return failf(NotFound, "the registry answers %d for the %s", answer.StatusCode, what)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return failf(Unreachable, "timeout at the %s", what)
	case errors.As(err, &dns):
		return failf(Unreachable, "the name of the registry is not known")
	case errors.As(err, &network):
		return failf(Unreachable, "the connection to the registry fails")
	}
	return failf(DigestMismatch, "the %s is not what its digest promises", what)
}
