// SPDX-License-Identifier: Apache-2.0

package verdict

// explaining keeps the claims of a judgement that is to be explained.
type explaining struct {
	claims []claim
}
