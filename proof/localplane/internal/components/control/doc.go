// SPDX-License-Identifier: Apache-2.0

// Package control has the components that act on objects: kube-controller-manager, kube-scheduler, and KWOK, which plays the kubelets. They
// are clients of kube-apiserver and listen on nothing.
package control
