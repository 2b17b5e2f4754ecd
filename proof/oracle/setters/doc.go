// SPDX-License-Identifier: Apache-2.0

// Package setters writes condition lists as the setter and patches of Cluster API v1beta1 do. The product has no use for
// them: a pass writes the whole list. They show, together with the library, that lists which both have written stay as
// they are.
package setters
