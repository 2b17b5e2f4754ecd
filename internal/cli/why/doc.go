// SPDX-License-Identifier: Apache-2.0

// Package why is the why command: it reduces the hierarchy below an object to the causes that explain it, and adds events, the log of the
// container that failed, and how the verdict was reached. It judges nothing itself.
//
//	tristate why deploy/web --logs
package why
