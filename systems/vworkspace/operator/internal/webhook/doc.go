// SPDX-License-Identifier: Apache-2.0

// Package webhook validates operations when they are created, and verifies approval claims when they are written, which the expressions of
// an admission policy cannot do: it needs the other operations and the keys.
//
//	certificates := &webhook.Certificates{Client: mgr.GetClient(), Host: "vworkspace-operator.vworkspace-system.svc"}
//	options.WebhookServer = certificates.Server("", 9443)
//	mgr.GetWebhookServer().Register(webhook.Path, webhook.New(&webhook.Claims{Keys: keys, ClusterID: "edge-1", Now: time.Now}))
//	err := certificates.Setup(mgr)
//
// # Rules of operations
//
//  1. An operation whose request has a problem of its own is denied when it is created, with the problems.
//  2. One that conflicts with another operation on its target is admitted. The answer has a warning that it will be Blocked=True
//     ConflictingOperation; the condition itself is written by the first pass of the operator, since the API server drops the status of an
//     object that is created.
//
// # Rules of the claims
//
//  1. A claim is verified when it is written: its signature, its expiry, and that it approves this object. One that does not change is not
//     verified again.
//  2. No claim is needed to create an object: it waits for one.
//  3. The answer names the error and no part of the claim. Nothing is logged.
//  4. The webhook is for the person who writes the claim; the operator verifies each claim again before it acts on it. So the failure
//     policy is Ignore: a webhook that is down lets a claim pass that approves nothing, and never keeps a person from cancelling an
//     operation.
//
// # Rules of the certificates
//
//  1. Each process makes a certificate and the authority that signs it, and keeps the private key in memory. The key of the authority is
//     thrown away.
//  2. The caBundle of the configuration has the authorities of all processes; each adds its own. So any number of replicas serve at a time,
//     without a Secret, a leader or a mounted volume.
//  3. After two thirds of its lifetime a certificate is replaced: the new authority is added first, and the new certificate served once the
//     API servers have had [Settle] to see it. No request meets a certificate that is not trusted.
//  4. A bundle that another writer overwrote is completed at once. Authorities of others stay until they expire, at most [MaxAuthorities]
//     of them.
//
// The certificates are made by k8s.io/client-go/util/cert. Libraries that rotate the certificate of a webhook keep one authority and its
// key in a Secret, which the operator would have to list and watch, and replace it at once, so that requests fail until every replica has
// the new certificate.
package webhook
