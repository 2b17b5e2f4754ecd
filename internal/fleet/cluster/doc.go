// SPDX-License-Identifier: Apache-2.0

// Package cluster reads and watches the objects of an API server for commands: it finds types by the words that people use for them, gets
// and lists objects, reads the objects that belong to them, and follows all of these.
//
// Every request, discovery included, ends with the context that [Connect] is given. An answer may be incomplete: one type may be forbidden
// or broken while all others can be read. So each method goes on as far as it can and returns a list of [Error] about what it could not
// read, each with its verb, type, namespace and name, and a [Reason] of one word.
//
//	c, err := cluster.Connect(ctx, config, cluster.Options{Namespace: "shop"})
//	failed := c.Named(ctx, []cluster.Query{{Type: "deploy", Name: "web"}}, func(o *relation.Object) { ... })
//
// # Following
//
// A [Follower] watches objects by name, by selectors, or all of a type, also of types that the server does not have yet. One LIST and one
// WATCH serve all queries for the same resource and namespace, and nothing is listed again because something has changed. Queries by name
// ask for that name only, so a role that is limited to resource names suffices.
//
//	f := c.Follow(ctx, cluster.Query{Type: "deploy", Name: "web", Namespace: "default"})
//	for e := range f.Events { ... }
//
// A type that the server does not have is found by a watch of definitions; only where that is forbidden is discovery asked again, every few
// seconds. A type whose definition is deleted is awaited again. Types that may not be read are reported with the missing verbs and tried
// again with growing pauses, for permission may be granted. A [Cache] puts the objects into a graph and follows the kinds that its trees
// lead to.
//
// The package writes nothing.
package cluster
