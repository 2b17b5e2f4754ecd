// SPDX-License-Identifier: Apache-2.0

// Package setters writes condition lists as the setters and patches of Cluster API do. The product has no use for them: a pass writes the
// whole list. They show, together with the libraries, that lists which both have written stay what they are; the order of dialect
// capi-v1beta2 is that of a pass.
package setters
