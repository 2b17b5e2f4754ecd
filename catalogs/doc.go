// SPDX-License-Identifier: Apache-2.0

// Package catalogs holds the catalogs that are shipped, one file per system, and the CustomResourceDefinitions of the kinds
// that they are for, so that a demo, a story or a test can serve these kinds without the system itself.
//
//	set, err := catalog.LoadFS(systems.Catalogs, ".")
//
// Below packs are rule packs: catalogs that say how kinds of other systems are judged, where the conventions of status do not
// say it or say it wrong. They follow what the fields of a kind mean; the cases that they are held to, in packs/testdata, were
// made for them.
//
// A catalog says what a kind's conditions are; what it says is decided in its header comment. It is no copy of the
// system's code: where a system documents less than a catalog needs, the header says what was chosen.
package catalogs
