// SPDX-License-Identifier: Apache-2.0

// Package helm proves the status reader by Helm: the waiter of Helm's SDK waits with it, for objects with which plain kstatus hangs.
package helm
