// SPDX-License-Identifier: Apache-2.0

// Package outbound is the gate for addresses that tenants name: registries, issuers, probes, control planes. An operator that connects to
// whatever an object says would reach the metadata service of the cloud, the node, and everything that trusts the cluster's network.
//
//	gate := &outbound.Gate{}
//	flags.Var(gate, "allow-address", outbound.Usage)
//	client := &http.Client{Transport: gate.Transport(nil)}
//
// # Rules
//
//  1. An address that is not of the public internet is refused: loopback, link-local, private and shared ranges, multicast, reserved
//     ranges, and the IPv6 forms of these. So are the networks of this machine, the address of the API server, and [Gate].Refused, which
//     is for public addresses of nodes, pods and services.
//  2. An administrator lists exceptions: networks, addresses, or names of hosts. A listed name may have any address.
//  3. A name is resolved once. The connection goes to an address that was looked at, so that a second answer of the name server changes
//     nothing.
//  4. A refusal is a [RefusedError]. Its text is the same each time and has no address that the tenant did not write.
//  5. A proxy of the environment is used, for targets that pass the rules, or whose name only the proxy knows.
package outbound
