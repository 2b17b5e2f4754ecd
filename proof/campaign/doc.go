// SPDX-License-Identifier: Apache-2.0

// Package campaign examines tristate why: it runs a healthy shop of twelve services on a real control plane, breaks it by edits that know
// what they broke, and counts how often why names the object first, and the field.
//
// The shop is testdata/shop.yaml, the edits are testdata/edits.yaml. Controllers, scheduler and admission are the real
// ones of localplane --nodes. The nodes run no processes, so the report of a kubelet about a failing container is
// played: by the outcomes of localplane, or by the words of the kubelet in the status of the pods.
//
// # Rules
//
//  1. A round is one to three edits of different services, applied at once through the API server. An edit of nodes, or of the whole
//     namespace, is a round of its own.
//  2. "tristate why -o brief" is asked when the cluster has come to rest: nothing was written for a while. In turns it is
//     asked for the cluster (-A), in a dump of it (-A -f), and for the namespace of the shop (-n).
//  3. With n edits, each edit's object has to be among the first n causes. Its field is right if the lines about that cause contain the
//     edit's word.
//  4. After each round every object is made as it was, and why has to find nothing wrong before the next one.
//
// make campaign in this folder runs 1,000 edits, on three control planes with a shop each, and writes the table of
// docs/causes.md. The tests run a short form, in which the right answer only has to come in the end.
package campaign
