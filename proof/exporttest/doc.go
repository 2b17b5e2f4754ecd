// SPDX-License-Identifier: Apache-2.0

// Package exporttest proves exports: it asks a consumer's own code about objects and compares the answers with package verdict.
//
// [Prove] takes every shipped catalog and rule pack, and of each kind the states that it can reach, the objects of the tests of packs, the
// objects of the corpora and witnesses next to the repository, if there are some, and generated objects. An answer that differs has to rest
// on a difference that the export lists, and each difference that is listed has to be seen.
package exporttest
