// SPDX-License-Identifier: Apache-2.0

// Package demo plays one story on a real API server: an application is installed, its chart registry goes away and comes back, a backup
// waits for an approval, the control plane is lost and comes back. The operator, the registry and the control plane are real;
// source-controller, helm-controller and Velero are played: their part looks into the real registry, and writes the statuses that those
// write. At each step it runs the commands of tristate that a person would, and prints them with their output.
//
// Nothing in it waits for a fixed time. The story controls the clock of the operator.
package demo
