// SPDX-License-Identifier: Apache-2.0

// Package golangci is the code checks of tristate check as an analyzer of go/analysis, and as a module plugin of golangci-lint: conditions
// that Go code writes are held to the catalogs, in the editor and in the linter that a project has already.
//
// A custom build of golangci-lint has the plugin by an entry in .custom-gcl.yml with this module and import path. Its settings in
// .golangci.yml name the catalogs:
//
//	linters:
//	  settings:
//	    custom:
//	      tristate:
//	        type: module
//	        settings: {catalogs: [catalogs/]}
//
// The checks follow values through all packages of a module, so a module is read once for all of its packages. Only
// tristate check reports findings of files outside of a package, such as catalogs.
package golangci
