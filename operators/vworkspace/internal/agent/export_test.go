// SPDX-License-Identifier: Apache-2.0

package agent

// EncodeJournal is how a journal is stored.
var EncodeJournal = encodeJournal

// NewClient is newClient without a client certificate.
func NewClient(endpoint string, ca []byte) (*Client, error) { return newClient(endpoint, ca, pair{}) }
