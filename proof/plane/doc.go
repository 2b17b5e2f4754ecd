// SPDX-License-Identifier: Apache-2.0

// Package plane gives tests a real Kubernetes API server. Programs start one with package process below, which imports much less.
//
// A test asks for one; the tests of a package share it:
//
//	func TestMain(m *testing.M) { plane.Main(m) }
//
//	func TestApply(t *testing.T) {
//		cfg := plane.ForTest(t)
//		namespace := plane.Namespace(t, cfg)
//		...
//	}
//
// Rules of [ForTest], the first that applies:
//
//   - TRISTATE_USE_KUBECONFIG is set: the current context of the one file that KUBECONFIG names, never of a file in a
//     home directory. The value "1" accepts only a server on a loopback address; for any other the value must be the
//     name of the context. Tests create and delete objects there.
//   - KUBEBUILDER_ASSETS is set: etcd and kube-apiserver of that folder. There are no controllers then; tests that need
//     them call [NeedControllers] and are skipped.
//   - Otherwise bin/localplane at the root of the repository. If it has not been built the test is skipped, or fails when
//     TRISTATE_REQUIRE_PLANE=1. TRISTATE_PLANE=off hides it.
package plane
