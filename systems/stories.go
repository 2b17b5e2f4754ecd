// SPDX-License-Identifier: Apache-2.0

package stories

import "embed"

// FS holds the stories, as SYSTEM/NAME.txtar.
//
//go:embed */*.txtar
var FS embed.FS

// Demo are the names of the stories that the demo plays, in this order.
func Demo() []string {
	return []string{"cluster-api/stories/provisioning.txtar", "cluster-api/stories/ssh-key-missing.txtar", "cluster-api/stories/upgrade.txtar"}
}
