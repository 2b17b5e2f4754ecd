// SPDX-License-Identifier: Apache-2.0

package output

import (
	"fmt"
	"os"
	"strings"
)

// columnsFile reads the file of -o custom-columns-file: its first line has the headers, its second the paths, separated by blanks.
func columnsFile(name string) (headers, paths []string, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	header, path, _ := strings.Cut(string(data), "\n")
	headers, paths = strings.Fields(header), strings.Fields(path)
	if len(headers) == 0 || len(headers) != len(paths) {
		return nil, nil, fmt.Errorf("%s: the first line needs as many headers (%d) as the second has paths (%d)", name, len(headers), len(paths))
	}
	return headers, paths, nil
}
