// SPDX-License-Identifier: Apache-2.0

// Package relation holds objects and the declared edges between them.
//
// A [Graph] is filled with objects one by one, from a watch, from files or by a test. It keeps an index for every relation of
// its catalogs, so that adding an object finds at once which other objects have to be judged anew ([Graph.Put]), and the
// objects that a relation leads to are found without looking at the others ([Graph.Related]).
//
// # Rules
//
//  1. Related objects come ordered by namespace and name; nothing depends on the order in which objects arrived.
//  2. A reference that says no namespace means the namespace of the object that holds it, or a cluster-scoped object.
//  3. An owner reference with a uid leads to the object with that uid only.
//  4. A relation without namespace: any stays in the namespace of self; a cluster-scoped self or item is related to any.
//  5. An expression that fails, for example because a field is missing, means "not related".
//  6. Of two versions of an object the one with the higher resourceVersion stays.
//
// Objects are shared, never copied: nobody may change one after Put. A Graph may be used by many goroutines.
package relation
