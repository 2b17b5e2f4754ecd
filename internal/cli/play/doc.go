// SPDX-License-Identifier: Apache-2.0

// Package play is the play command, and the player of stories that the demo uses too: in memory on virtual time, or on a cluster. The
// language of stories is that of proof/story.
//
//	tristate play cluster-api/upgrade --pace 500ms
package play
