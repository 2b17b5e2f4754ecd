// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package process

import "syscall"

func ownGroup() *syscall.SysProcAttr { return nil }
