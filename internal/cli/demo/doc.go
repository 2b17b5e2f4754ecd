// SPDX-License-Identifier: Apache-2.0

// Package demo is the demo command: it starts a control plane on this machine and plays stories on it, with tristate run at work.
//
//	tristate demo --keep
package demo
