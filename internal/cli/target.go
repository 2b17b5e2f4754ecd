// SPDX-License-Identifier: Apache-2.0

package cli

import "strings"

// target is TYPE/NAME as it stands on the command line; Name may be empty.
type target struct{ Type, Name string }

// parseTargets reads "TYPE/NAME ...", "TYPE NAME ..." and "TYPE,...".
func parseTargets(args []string) ([]target, error) {
	if len(args) == 0 {
		return nil, nil
	}
	if !strings.Contains(args[0], "/") {
		var out []target
		if len(args) == 1 {
			for _, word := range strings.Split(args[0], ",") {
				out = append(out, target{Type: word})
			}
			return out, nil
		}
		for _, name := range args[1:] {
			if strings.Contains(name, "/") {
				return nil, usagef("%q: write either TYPE NAME or TYPE/NAME", strings.Join(args, " "))
			}
			out = append(out, target{args[0], name})
		}
		return out, nil
	}
	var out []target
	for _, arg := range args {
		kind, name, _ := strings.Cut(arg, "/")
		if kind == "" || name == "" || strings.Contains(name, "/") {
			return nil, usagef("%q: write TYPE/NAME, as in deploy/web", arg)
		}
		out = append(out, target{kind, name})
	}
	return out, nil
}
