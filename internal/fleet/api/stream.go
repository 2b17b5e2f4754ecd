// SPDX-License-Identifier: Apache-2.0

package api

import "time"

// Hello is the first message of a stream (event hello). A reader that knows an answer of the same epoch with a lower seq has missed changes
// and reads its windows again.
type Hello struct {
	Epoch string    `json:"epoch"`
	Seq   uint64    `json:"seq"`
	Now   time.Time `json:"now"`
	// Resumed reports that the changes since the Last-Event-ID follow, so that nothing has to be read again.
	Resumed bool `json:"resumed"`
}

// Delta is a message about changes within the filter of a stream (event change).
type Delta struct {
	Epoch    string    `json:"epoch"`
	Seq      uint64    `json:"seq"`
	Prev     uint64    `json:"prev"` // the seq of the message before; another one than the reader's is a gap: read again
	Now      time.Time `json:"now"`
	Rows     []Row     `json:"rows"`    // of the filter: new or changed
	Removed  []string  `json:"removed"` // ids that left the filter, or are gone
	Reload   bool      `json:"reload"`  // too much changed for one message: read the windows again
	Total    int       `json:"total"`
	Filtered int       `json:"filtered"`
	Counts   Counts    `json:"counts"`
}

// Beat is a message that says that the server lives (event beat), every few seconds, and that causes or the state of a cluster may have
// changed.
type Beat struct {
	Epoch    string    `json:"epoch"`
	Seq      uint64    `json:"seq"`
	Now      time.Time `json:"now"`
	Causes   uint64    `json:"causes"` // rises when the overview was computed again
	Clusters []Cluster `json:"clusters"`
	Ended    bool      `json:"ended,omitempty"` // nothing will change any more: files
}
