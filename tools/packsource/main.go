// SPDX-License-Identifier: Apache-2.0

// Command packsource holds rule packs to the source of their operator at a commit.
//
//	go run ./tools/packsource -repo cert-manager/cert-manager -git DIR [-commit REV] [-write] catalogs/packs/cert-manager.yaml ...
//	go run ./tools/packsource -repo owner/name -dir DIR -commit 1a2b3c4 ...
//
// DIR is a git directory, or with -dir a folder such as that of a Go module. It reads the string constants, the types and the kubebuilder
// enumerations of Go packages, the strings of Java, and definitions of custom resources, tests left out. Of each document whose API group
// the repository defines it prints
//
//	never:  a word or path of the pack or of its vocabulary that the source does not have: nothing writes it
//	unread: a value of an enumeration below the status of which neither the pack nor the conventions make anything
//
// and ends with 1 if there is a line. -write records the source in the documents without one: a release of the operator is a difference
// from then on. tristate test prints the documents without one, and those that were read more than a year ago.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	var o options
	flag.StringVar(&o.repository, "repo", "", "owner/name of the repository")
	flag.StringVar(&o.git, "git", "", "git directory of the repository")
	flag.StringVar(&o.dir, "dir", "", "folder with the files of the commit, instead of -git")
	flag.StringVar(&o.commit, "commit", "HEAD", "commit")
	flag.Func("also", "git directory of a library whose words count, too; may be repeated", func(dir string) error {
		o.also = append(o.also, dir)
		return nil
	})
	flag.BoolVar(&o.write, "write", false, "record the source in the documents without one")
	flag.Parse()
	var findings int
	var err error
	switch files := packFiles(flag.Args()); {
	case len(files) == 0:
		err = fmt.Errorf("packsource: name the packs")
	case o.repository == "" || (o.git == "") == (o.dir == ""):
		err = fmt.Errorf("packsource: name -repo and one of -git and -dir")
	default:
		findings, err = compare(o, files)
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case findings > 0:
		os.Exit(1)
	}
}

type options struct {
	repository, git, dir, commit string
	also                         []string
	write                        bool
}

// packFiles returns the packs that are named, or in folders that are named.
func packFiles(args []string) []string {
	var out []string
	for _, arg := range args {
		if in, _ := filepath.Glob(filepath.Join(arg, "*.yaml")); len(in) > 0 {
			out = append(out, in...)
		} else {
			out = append(out, arg)
		}
	}
	slices.Sort(out)
	return out
}
