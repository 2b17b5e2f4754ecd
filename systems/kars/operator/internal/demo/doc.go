// SPDX-License-Identifier: Apache-2.0

// Package demo plays one story on a real API server: a sandbox with its policies comes up, a profile is edited, a memory store refuses, a
// grant is given and expires. The operator, the routers and the store are the real ones; KWOK plays the nodes. At each step it runs the
// commands of tristate that a person would, and prints them with their output.
//
// Nothing in it waits for a fixed time. The story controls two things: the moment at which a ConfigMap reaches the files of a pod,
// which is up to a minute in a cluster, and the clock of the operator.
package demo
