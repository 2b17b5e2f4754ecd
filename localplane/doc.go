// SPDX-License-Identifier: Apache-2.0

// Command localplane is a Kubernetes control plane in one binary. README.md describes its use.
//
//	localplane up [--dir DIR] [--kubeconfig FILE] [--quiet] [--until-eof] [--timeout DURATION]
//	localplane version
//
// The process that the user starts supervises three more of the same binary, one for each component:
//
//	localplane up -+- localplane component etcd
//	               +- localplane component kube-apiserver
//	               +- localplane component kube-controller-manager
package main
