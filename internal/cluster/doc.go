// SPDX-License-Identifier: Apache-2.0

// Package cluster reads the objects of an API server for commands: it finds types by the words that people use for them, gets and lists
// objects, and reads what stands around them.
//
// Every request, discovery included, ends with the context that [Connect] is given. An answer may be incomplete: one type may be forbidden
// or broken while all others can be read. So each method goes on as far as it can and returns what it could not read as a list of [Error],
// each with its verb, type, namespace and name, and a [Reason] of one word.
//
//	c, err := cluster.Connect(ctx, config, cluster.Options{Namespace: "shop"})
//	failed := c.Named(ctx, []cluster.Target{{Type: "deploy", Name: "web"}}, func(o *relation.Object) { ... })
//
// It writes nothing, keeps no object, and watches nothing; package follow does that.
package cluster
