// SPDX-License-Identifier: Apache-2.0

// Package rollout holds `tristate wait` to `kubectl rollout status`, of k8s.io/kubectl.
//
// Roll-outs of Deployments, StatefulSets and DaemonSets are generated as a series of statuses, each as its controller would write it: with
// images that do not start, probes that fail, quotas, pauses, partitions and a growing scale. Both look at each status, the wait as a
// machine that sees them in order:
//
//   - where kubectl fails, the wait has failed;
//   - where the wait is met, kubectl is done;
//   - where kubectl is done, the wait is met, except for a paused Deployment, which is Suspended rather than Current.
package rollout
