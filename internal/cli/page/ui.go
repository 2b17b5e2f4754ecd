// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var built embed.FS

// Files returns the built page: index.html at the top, and what it loads in assets, in files whose names change with their content.
func Files() fs.FS {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return files
}
