// SPDX-License-Identifier: Apache-2.0

// Package supervisor runs the components of a control plane as children of this process and stops them together.
//
// Rules:
//
//   - A child is this same binary, started as "localplane component NAME FLAGS", with the data folder as working directory.
//   - A child lives no longer than the supervisor: it holds the read end of a pipe that ends with this process.
//   - A child also holds the lock of the data folder, so the folder counts as used until the last one is gone.
//   - A child that ends by itself is a failure of the whole; the error carries the end of its log.
//   - Children have process groups of their own: an interrupt typed at the terminal reaches only the supervisor.
package supervisor
