// SPDX-License-Identifier: Apache-2.0

// Package kubelet is the part of a kubelet that KWOK does not play, for tests and the demo: it runs the containers of pods as processes of
// this machine.
//
//   - ConfigMaps and Secrets of a pod appear as files, below symbolic links that are replaced at once, and follow their objects.
//   - A container whose command is one of [Programs] runs as a process, with its mount paths replaced by folders of this machine and the
//     values of --listen and --proxy by free ports. It prints "listening on ADDRESS" for each, in the order of its ports.
//   - Pods are reached through an HTTP proxy, by the names of their Services.
//   - Logs are served to the API server.
//
// Phases and conditions of pods are KWOK's.
package kubelet
