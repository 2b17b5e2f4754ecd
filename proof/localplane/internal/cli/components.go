// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/tristate/tristate/proof/localplane/internal/folder"
	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// etcdFlags returns the flags of etcd, either the built-in component or the program.
func (p *plane) etcdFlags() []string {
	if p.has[supervisor.Etcd].program == "" {
		return []string{fmt.Sprintf("--ephemeral=%t", p.data.Ephemeral)}
	}
	const name, client, peer = "localplane", "unix://" + folder.EtcdSocket, "unix://" + folder.EtcdPeerSocket
	return []string{
		"--name=" + name,
		"--data-dir=" + folder.EtcdData,
		"--listen-client-urls=" + client,
		"--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=" + name + "=" + peer,
		fmt.Sprintf("--unsafe-no-fsync=%t", p.data.Ephemeral),
		"--log-level=warn",
	}
}

// apiServerFlags returns the flags of kube-apiserver. The listener it inherits decides the port; the flags only repeat it.
// Paths are relative to the data folder.
func apiServerFlags(port int) []string {
	return []string{
		"--etcd-servers=unix://" + folder.EtcdSocket,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + folder.ServingCert,
		"--tls-private-key-file=" + folder.ServingKey,
		"--token-auth-file=" + folder.TokenFile,
		"--anonymous-auth=false",
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + folder.AccountKey,
		"--service-account-signing-key-file=" + folder.AccountKey,
		"--requestheader-client-ca-file=" + folder.ProxyCA,
		"--requestheader-allowed-names=" + folder.ProxyName,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + folder.ProxyCert,
		"--proxy-client-key-file=" + folder.ProxyKey,
		// The default, a /24, is full with 254 Services, and the next one is refused.
		"--service-cluster-ip-range=10.0.0.0/16",
		"--allow-privileged=true",
		// Without kubelets no pod needs a token, and pods may be created before their service account.
		"--disable-admission-plugins=ServiceAccount",
		// A loopback address cannot be an endpoint of service "kubernetes".
		"--endpoint-reconciler-type=none",
		"--profiling=false",
	}
}

// controllerManagerFlags returns the flags of kube-controller-manager: all default controllers, no port.
func controllerManagerFlags() []string {
	return []string{
		"--kubeconfig=" + folder.ControllerManagerKubeconfig,
		"--leader-elect=false",
		"--secure-port=0",
		"--service-account-private-key-file=" + folder.AccountKey,
		"--root-ca-file=" + folder.CAFile,
		// The default of 20 a second makes the deletion of a namespace slow.
		"--kube-api-qps=200",
		"--kube-api-burst=400",
		"--profiling=false",
	}
}

// schedulerFlags returns the flags of kube-scheduler: no port. It and KWOK act with the credentials of kube-controller-manager.
func schedulerFlags() []string {
	return []string{
		"--kubeconfig=" + folder.ControllerManagerKubeconfig,
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=200",
		"--kube-api-burst=400",
		"--profiling=false",
	}
}

// kwokFlags returns the flags of KWOK: no port; it plays every node.
func kwokFlags() []string {
	return []string{
		"--config=" + folder.KwokConfig,
		"--kubeconfig=" + folder.ControllerManagerKubeconfig,
		"--manage-all-nodes=true",
		"--node-lease-duration-seconds=40",
		"--node-ip=127.0.0.1",
	}
}
