// SPDX-License-Identifier: Apache-2.0

package cli

import "io/fs"

// filesOf returns the content of every file, by path.
func filesOf(fsys fs.FS) ([][]byte, error) {
	var out [][]byte
	err := fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		out = append(out, data)
		return err
	})
	return out, err
}
