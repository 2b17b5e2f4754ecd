// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/fleet/cluster"
)

// fileEndings are those by which an argument is a path and no type of a cluster.
var fileEndings = []string{".yaml", ".yml", ".json", ".jsonl", ".md", ".go", ".tar", ".gz", ".tgz", ".zip"}

// IsPath reports whether an argument names a file or a folder: it is -, begins with ./, ../ or /, or ends with / or with the ending of a
// file. A folder with the name of a type is a path when it is written as ./NAME.
func IsPath(arg string) bool {
	return arg == "-" || arg == "." || arg == ".." || filepath.IsAbs(arg) || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../") ||
		strings.HasSuffix(arg, "/") || slices.Contains(fileEndings, filepath.Ext(arg)) || strings.Contains(arg, "/") && exists(arg)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// SplitPaths divides arguments into paths ([IsPath]) and words for [ParseTargets].
func SplitPaths(args []string) (paths, words []string) {
	for _, arg := range args {
		if IsPath(arg) {
			paths = append(paths, arg)
		} else {
			words = append(words, arg)
		}
	}
	return paths, words
}

// ParseTargets reads the arguments of a command that is about objects: "TYPE/NAME ...", "TYPE NAME ..." and "TYPE,...", where a list may
// mix types and objects. It ignores paths, which the command adds to the files of --filename.
func ParseTargets(args []string) ([]cluster.Query, error) {
	_, words := SplitPaths(args)
	if len(words) == 0 {
		return nil, nil
	}
	if types := strings.Split(words[0], ","); len(words) > 1 && !strings.Contains(words[0], "/") {
		return ofTypes(types, words[1:])
	}
	var out []cluster.Query
	for _, arg := range words {
		for _, word := range strings.Split(arg, ",") {
			kind, name, named := strings.Cut(word, "/")
			switch {
			case kind == "" || named && name == "" || strings.Contains(name, "/"):
				return nil, exit.Usagef("%q: write TYPE/NAME, as in deploy/web", arg)
			case !named && len(words) > 1:
				return nil, exit.Usagef("%q: write either TYPE NAME or TYPE/NAME", strings.Join(args, " "))
			}
			out = append(out, cluster.Query{Type: kind, Name: name})
		}
	}
	return out, nil
}

// ofTypes returns the objects of some names, of each of the types.
func ofTypes(types, names []string) ([]cluster.Query, error) {
	var out []cluster.Query
	for _, kind := range types {
		for _, name := range names {
			if strings.Contains(name, "/") || kind == "" {
				return nil, exit.Usagef("%q: write either TYPE NAME or TYPE/NAME", strings.Join(append([]string{strings.Join(types, ",")}, names...),
					" "))
			}
			out = append(out, cluster.Query{Type: kind, Name: name})
		}
	}
	return out, nil
}
