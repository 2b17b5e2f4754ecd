// SPDX-License-Identifier: Apache-2.0

// Package lease elects one replica of a controller by a Lease, by the rules of client-go's leader election and without its imports.
//
//	for l.Hold(ctx) != nil {
//		lease.Sleep(ctx, lease.Retry)
//	}
package lease
