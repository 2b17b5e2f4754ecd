// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"strings"

	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cluster"
)

// ParseTargets reads "TYPE/NAME ...", "TYPE NAME ..." and "TYPE,...".
func ParseTargets(args []string) ([]cluster.Query, error) {
	if len(args) == 0 {
		return nil, nil
	}
	if !strings.Contains(args[0], "/") {
		var out []cluster.Query
		if len(args) == 1 {
			for _, word := range strings.Split(args[0], ",") {
				out = append(out, cluster.Query{Type: word})
			}
			return out, nil
		}
		for _, name := range args[1:] {
			if strings.Contains(name, "/") {
				return nil, exit.Usagef("%q: write either TYPE NAME or TYPE/NAME", strings.Join(args, " "))
			}
			out = append(out, cluster.Query{Type: args[0], Name: name})
		}
		return out, nil
	}
	var out []cluster.Query
	for _, arg := range args {
		kind, name, _ := strings.Cut(arg, "/")
		if kind == "" || name == "" || strings.Contains(name, "/") {
			return nil, exit.Usagef("%q: write TYPE/NAME, as in deploy/web", arg)
		}
		out = append(out, cluster.Query{Type: kind, Name: name})
	}
	return out, nil
}
