// SPDX-License-Identifier: Apache-2.0

// Package crossplane writes health checks in CEL for function-auto-ready of Crossplane from catalogs and rule packs: the map
// celHealthCheckCustomization of its input.
//
// The function asks one question, whether an object is ready, by an expression for each version of a kind, over the variable object. Its
// CEL has the standard library alone, and all numbers of an object are floats. So the expression for Flux that asks whether an object is
// Current is written again without optional types: a field is read after has was asked for it and for each field above it. An expression
// that is an error is no answer to the function, which looks at the condition Ready then.
//
// An object is ready where it is Current or Suspended, since waiting does not help a suspended object.
package crossplane
