// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import "syscall"

// ownGroup returns attributes by which an interrupt typed at the terminal does not reach the control plane: its starter stops it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
