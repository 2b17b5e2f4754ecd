// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// isTask says whether objects of the kind run and end.
func (ev *evidence) isTask() bool {
	if ev.task == 0 {
		ev.task = -1
		if runsToCompletion(ev.kind) {
			ev.task = 1
		}
	}
	return ev.task > 0
}

// runsToCompletion guesses from its name that a kind is a task that ends.
func runsToCompletion(kind string) bool {
	if strings.HasPrefix(kind, "Cron") || strings.HasPrefix(kind, "Scheduled") || strings.HasPrefix(kind, "Recurring") {
		return false
	}
	kind = strings.TrimSuffix(kind, "Set") // of tasks
	if kind == "" {
		return false
	}
	end := ""
	switch kind[len(kind)-1] {
	case 'n':
		return strings.HasSuffix(kind, "Run") || strings.HasSuffix(kind, "Execution") || strings.HasSuffix(kind, "Migration") ||
			strings.HasSuffix(kind, "Operation") || strings.HasSuffix(kind, "Promotion") || strings.HasSuffix(kind, "Remediation") ||
			strings.HasSuffix(kind, "Action") || strings.HasSuffix(kind, "BackupSession")
	case 't':
		return strings.HasSuffix(kind, "Experiment") || strings.HasSuffix(kind, "Test") || strings.HasSuffix(kind, "Snapshot") ||
			strings.HasSuffix(kind, "OpsRequest")
	case 'b':
		end = "Job"
	case 'k':
		end = "Task"
	case 'w':
		end = "Workflow"
	case 'p':
		end = "Backup"
	case 'e':
		return strings.HasSuffix(kind, "Restore") || strings.HasSuffix(kind, "Maintenance") || strings.HasSuffix(kind, "Rebalance")
	case 'd':
		end = "Build"
	default:
		return false
	}
	return strings.HasSuffix(kind, end)
}
