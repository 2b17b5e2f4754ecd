// SPDX-License-Identifier: Apache-2.0

package operator

// Report reports one fact to several conditions of a pass, each with a reason of its own:
//
//	operator.Report(err.Error(), p.Ready.Failed, p.Progressing.Failed, p.Degraded.Failed)
func Report(message string, cells ...func(message string)) {
	for _, report := range cells {
		report(message)
	}
}
