// SPDX-License-Identifier: Apache-2.0

// Package field makes the values of [apply.Fields]. A nil value is a field that is absent; a field must be absent where the Go type of the
// status would omit it, or every pass finds a difference to the stored object.
//
//	apply.Fields{"url": field.Optional(url), "configMapRef": field.Name(name), "expiresAt": field.Time(expires)}
package field
