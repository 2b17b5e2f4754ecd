// SPDX-License-Identifier: Apache-2.0

// Package wire reads and writes conditions as they are stored, and says what the API server accepts.
//
//	list, errs := wire.FromUnstructured(entries)   // of a decoded object; an error for each fault, what can be read nevertheless
//	entry := wire.ToUnstructured(condition, dialect)
//	list = wire.FromMeta(object.Status.Conditions) // of a typed object
//	errs = wire.Validate(&condition, dialect)      // what would be refused
//
// An operator with typed objects does not need it: package conditions takes and returns what is here. It is for tools that read objects
// of others, and for operators on decoded objects. No input makes it panic.
package wire
