// SPDX-License-Identifier: Apache-2.0

// Package imports is the import command: it makes catalogs of the health rules of other tools. The formats are those of
// internal/read/pack/importer.
//
//	tristate import flux config.yaml
package imports
