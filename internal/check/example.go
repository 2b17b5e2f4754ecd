// SPDX-License-Identifier: Apache-2.0

package check

import (
	"io/fs"
	"strings"

	"golang.org/x/tools/txtar"
)

// Document fills in the documentation and the examples of checks from their archives, doc/SLUG.txtar: the comment is the exact rule, files
// below bad/ and good/ are the examples, files below both/ belong to either, and want has the findings of a run over the failing example.
// A check without an archive stays without documentation, which is an error for [Validate].
func Document(fsys fs.FS, checks []*Check) []*Check {
	for _, c := range checks {
		_, slug, _ := strings.Cut(c.ID, "/")
		data, err := fs.ReadFile(fsys, "doc/"+slug+".txtar")
		if err != nil {
			continue
		}
		archive := txtar.Parse(data)
		c.Doc = strings.TrimSpace(string(archive.Comment))
		for _, f := range archive.Files {
			folder, name, _ := strings.Cut(f.Name, "/")
			file := File{Name: name, Data: f.Data}
			switch folder {
			case "want":
				c.Want = string(f.Data)
			case "bad":
				c.Bad = append(c.Bad, file)
			case "good":
				c.Good = append(c.Good, file)
			case "both":
				c.Bad = append(c.Bad, file)
				c.Good = append(c.Good, file)
			}
		}
	}
	return checks
}
