// SPDX-License-Identifier: Apache-2.0

// Package relation holds objects and the edges between them, declared or well known, and finds in their trees the objects that explain an
// unhealthy one.
//
// A [Graph] is filled with objects one by one, from a watch, from files or by a test. It keeps an index for every relation of
// its catalogs, so that adding an object finds at once which other objects have to be judged again ([Graph.Put]), and the
// objects that a relation leads to are found without looking at the others ([Graph.Related]).
//
// # Rules
//
//  1. Related objects are ordered by namespace and name; nothing depends on the order in which objects arrived.
//  2. A reference without a namespace means the namespace of the object that holds it, or a cluster-scoped object.
//  3. An owner reference with a uid leads to the object with that uid only.
//  4. A relation without namespace: any stays in the namespace of self; a cluster-scoped self or item is related to any.
//  5. An expression that fails, for example because a field is missing, means "not related"; one that is too expensive is reported too
//     ([Graph.Expensive]).
//  6. Of two versions of an object the one with the higher resourceVersion stays.
//
// Objects are shared, never copied: they must not be changed after Put. A Graph may be used by many goroutines. One made by [NewPacked]
// or [NewFixed] needs a fraction of the memory and decodes an object when it is read.
//
// # Trees
//
// A [View] walks edges, down or up ([View.Build]). The edges from an object are, in this order, each object by the first that leads to
// it:
//
//  1. the relations of its catalog;
//  2. the objects whose owner references name it;
//  3. the branches of its kind ([catalog.Branch]), of the catalogs of the graph and then the shipped ones: the objects of workloads,
//     services, volumes, routes and others, and the inventories of Flux, Helm, Argo CD, apply sets and kro;
//  4. for a kind without declared relations and branches, every map in its spec with kind, name and an API group, so that the references of
//     Crossplane, Cluster API and others need no table.
//
// Objects that are only used (configuration, accounts, classes, nodes) are shown if the user is unhealthy and the used one is missing or
// at least as bad. An object is reported as missing only if its kind was read ([Graph.Cover]). [View.Wanted] returns the kinds that have to
// be read to draw a tree, so that not every type of a server is listed.
//
// [Causes] folds a tree to the smallest set of objects that explains its root. [View.Affected] returns the objects to judge again after a
// change.
package relation
