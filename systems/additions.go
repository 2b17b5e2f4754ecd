// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed */additions.tsv
var additions embed.FS

// Additions returns the cells that the catalog of a system declares and the tables of its document do not list, as "Kind Type=Status
// Reason", and why: partner (another type of the kind has the reason, and both are written together), complement (the document lists no
// reason for the status), shared (it lists the reason for most kinds, but not for this type), mentioned (only in its text, or for another
// kind), emitted (only in the code), proposed (in neither yet). A system without the file additions.tsv has no additions. An error has
// the file and the line.
func Additions(system string) (map[string]string, error) {
	name := system + "/additions.tsv"
	data, err := fs.ReadFile(additions, name)
	if err != nil {
		return nil, nil
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	out := map[string]string{}
	for i, line := range lines[1:] { // the first one has the names of the columns
		f := strings.Split(line, "\t")
		if len(f) != 5 || !slices.Contains([]string{"partner", "complement", "shared", "mentioned", "emitted", "proposed"}, f[4]) {
			return nil, fmt.Errorf("%s:%d: want kind, type, status, reason and why", name, i+2)
		}
		out[f[0]+" "+f[1]+"="+f[2]+" "+f[3]] = f[4]
	}
	if len(out) != len(lines)-1 {
		return nil, fmt.Errorf("%s: a cell is listed twice", name)
	}
	return out, nil
}
