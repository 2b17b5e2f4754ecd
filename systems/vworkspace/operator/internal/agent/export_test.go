// SPDX-License-Identifier: Apache-2.0

package agent

// NewClient is newClient without a client certificate.
func NewClient(endpoint string, ca []byte) (*Client, error) { return newClient(endpoint, ca, pair{}) }
