// SPDX-License-Identifier: Apache-2.0

// Package cli is the command line of localplane.
//
//	localplane up [--dir DIR] [--kubeconfig FILE] [--quiet] [--until-eof] [--timeout DURATION]
//	localplane version
//
// Rules:
//
//   - Ready is one line on standard output; with --quiet that line is only the path of the kubeconfig.
//   - Errors are one line on standard error ("localplane: ..."), followed by the end of a component's log where that is
//     the reason.
//   - Exit codes are the constants [Stopped], [Usage] and [Failed].
package cli
