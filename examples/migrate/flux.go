// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"

	"github.com/tristate/tristate/examples/migrate/bucket"
)

// Bucket has the facts about a bucket.
type Bucket struct {
	AuthError, FetchError, StoreError error
	Stored, Latest                    string // revisions
}

// JudgeBucket reports the conditions that the code with Flux's library reported. Reconciling and Stalled follow from the classes of the cells.
func JudgeBucket(p *bucket.Pass, b Bucket) {
	switch {
	case b.AuthError != nil:
		p.FetchFailed.AuthenticationFailed("%v", b.AuthError)
	case b.FetchError != nil:
		p.FetchFailed.BucketOperationFailed("%v", b.FetchError)
	default:
		p.FetchFailed.Fetched()
	}
	if b.StoreError != nil {
		p.StorageOperationFailed.DirCreationFailed("%v", b.StoreError)
	} else {
		p.StorageOperationFailed.Stored()
	}
	if b.Stored == b.Latest {
		p.ArtifactInStorage.Succeeded("stored revision %s", b.Stored)
	} else {
		p.ArtifactInStorage.NewRevision("fetching revision %s", b.Latest)
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
