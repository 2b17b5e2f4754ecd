// SPDX-License-Identifier: Apache-2.0

package before

import "github.com/fluxcd/pkg/runtime/conditions"

// Bucket reports with Flux's conditions.
func Bucket(b conditions.Setter, authError, fetchError, storeError error, stored, latest string) {
	switch {
	case authError != nil:
		conditions.MarkTrue(b, "FetchFailed", "AuthenticationFailed", "%s", authError)
		conditions.MarkStalled(b, "AuthenticationFailed", "%s", authError)
	case fetchError != nil:
		conditions.MarkTrue(b, "FetchFailed", "BucketOperationFailed", "%s", fetchError)
	default:
		conditions.Delete(b, "FetchFailed")
		conditions.Delete(b, "Stalled")
	}
	if storeError != nil {
		conditions.MarkTrue(b, "StorageOperationFailed", "DirCreationFailed", "%s", storeError)
	} else {
		conditions.Delete(b, "StorageOperationFailed")
	}
	if stored == latest {
		conditions.MarkTrue(b, "ArtifactInStorage", "Succeeded", "stored revision %s", stored)
		conditions.Delete(b, "Reconciling")
	} else {
		conditions.MarkUnknown(b, "ArtifactInStorage", "NewRevision", "fetching revision %s", latest)
		conditions.MarkReconciling(b, "NewRevision", "fetching revision %s", latest)
	}
	conditions.SetSummary(b, "Ready",
		conditions.WithConditions("FetchFailed", "StorageOperationFailed", "ArtifactInStorage"),
		conditions.WithNegativePolarityConditions("FetchFailed", "StorageOperationFailed"))
}
