// SPDX-License-Identifier: Apache-2.0

// Command localplane is a Kubernetes control plane in one binary. README.md describes its use.
//
//	localplane up [--nodes N] [--dir DIR] [--kubeconfig FILE] [--quiet] [--until-eof] [--timeout DURATION]
//	localplane version
//
// The process that the user starts supervises three more of the same binary, one for each component, and two more for nodes:
//
//	localplane up -+- localplane component etcd
//	               +- localplane component kube-apiserver
//	               +- localplane component kube-controller-manager
//	               +- localplane component kube-scheduler
//	               +- localplane component kwok
package main
