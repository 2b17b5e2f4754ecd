// SPDX-License-Identifier: Apache-2.0

package agent

// EncodeJournal is how a journal is stored.
var EncodeJournal = encodeJournal
