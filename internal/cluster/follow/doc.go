// SPDX-License-Identifier: Apache-2.0

// Package follow watches objects of a cluster for a command: by name, by label selector, or all of a type, also of types that the server
// does not have yet.
//
// One LIST and one WATCH serve all queries for the same resource and namespace, and nothing is listed or asked again because something
// has changed. Queries by name ask for that name only, so a role that is limited to resource names suffices.
//
//	events := make(chan follow.Event)
//	go follow.Run(ctx, client, kind, []follow.Query{{Type: "deploy", Name: "web", Namespace: "default"}}, events)
//	for e := range events { ... }
//
// A type that the server does not have is looked out for by a watch of definitions; only where that is forbidden is
// discovery asked again, every few seconds. A type whose definition is deleted is awaited again. Types that may not be
// read are reported with the missing verbs and tried again with growing pauses, for permission may be granted.
package follow
