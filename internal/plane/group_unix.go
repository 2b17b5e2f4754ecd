// SPDX-License-Identifier: Apache-2.0

//go:build unix

package plane

import "syscall"

// ownGroup keeps an interrupt typed at the terminal from the control plane: its starter decides when it stops.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
