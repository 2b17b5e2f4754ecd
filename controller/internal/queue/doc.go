// SPDX-License-Identifier: Apache-2.0

// Package queue has the objects that a controller has to judge, by rank. It knows no catalog and no client.
//
//	id, ok := q.Get(ctx)
//	defer q.Done(id)
package queue
