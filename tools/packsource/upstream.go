// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// upstream is what a repository says.
type upstream struct {
	commit, date string
	groups       map[string]bool
	words        map[string]bool               // every string of the code, and every value of an enumeration
	text         strings.Builder               // the strings that are longer than a word, for those that are composed
	values       map[string]map[string]*values // of Kind.group: path below the object to its values
	paths        map[string]map[string]bool    // of Kind.group: paths of its schema
	open         map[string]bool               // kinds with parts that the schema leaves open
	files        map[string]string             // Kind.group to the file that defines it
	types        map[string]*goType            // by folder and name
	consts       map[string][]string           // by folder and name of the type
	kindGroups   map[string]string             // folder to the group of its kinds
}

// values are those of an enumeration, with where they are written.
type values struct {
	list []string
	from string
}

func newUpstream() *upstream {
	return &upstream{groups: map[string]bool{}, words: map[string]bool{}, values: map[string]map[string]*values{},
		paths: map[string]map[string]bool{},
		open:  map[string]bool{}, files: map[string]string{}, types: map[string]*goType{}, consts: map[string][]string{},
		kindGroups: map[string]string{}}
}

// read reads a commit of a git directory, or a folder.
func read(o options) (*upstream, error) {
	u := newUpstream()
	if o.dir != "" {
		u.commit = o.commit
		err := filepath.WalkDir(o.dir, func(name string, entry fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(o.dir, name)
			if err != nil || entry.IsDir() || !wanted(filepath.ToSlash(rel)) {
				return err
			}
			data, err := os.ReadFile(name)
			if err == nil {
				u.file(filepath.ToSlash(rel), data)
			}
			return err
		})
		u.resolve()
		return u, err
	}
	out, err := exec.Command("git", "-C", o.git, "log", "-1", "--format=%h %cs", "--abbrev=12", o.commit).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: no commit %s: %w", o.git, o.commit, err)
	}
	u.commit, u.date, _ = strings.Cut(strings.TrimSpace(string(out)), " ")
	if err := u.blobs(o.git, o.commit, u.file); err != nil {
		return nil, err
	}
	for _, dir := range o.also {
		err := u.blobs(dir, "HEAD", func(name string, data []byte) {
			other := newUpstream()
			other.file(name, data)
			maps.Copy(u.words, other.words)
		})
		if err != nil {
			return nil, err
		}
	}
	u.resolve()
	return u, nil
}

// blobs reads the files of a commit that are wanted. A file that the git directory lacks, as a snapshot may, is left out.
func (u *upstream) blobs(dir, commit string, add func(name string, data []byte)) error {
	list, err := exec.Command("git", "-C", dir, "ls-tree", "-r", commit).Output()
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	var names []string
	var hashes strings.Builder
	for line := range strings.Lines(string(list)) {
		about, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if fields := strings.Fields(about); len(fields) == 3 && fields[1] == "blob" && wanted(name) {
			names = append(names, name)
			hashes.WriteString(fields[2] + "\n")
		}
	}
	cmd := exec.Command("git", "-C", dir, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(hashes.String())
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r := bufio.NewReader(pipe)
	for _, name := range names {
		head, err := r.ReadString('\n')
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		fields := strings.Fields(head)
		if len(fields) != 3 {
			continue // missing
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		data := make([]byte, size+1)
		if _, err := io.ReadFull(r, data); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		add(name, data[:size])
	}
	return cmd.Wait()
}

var notCode = regexp.MustCompile(
	`(^|/)(vendor|testdata|node_modules|examples?|docs?|test|tests|e2e|resource_customizations|third_party|hack)/|_test\.go$|zz_generated\.(deepcopy|openapi|conversion|defaults)|\.pb\.go$`)

// wanted reports whether a file is read. Tests and documentation have words that nothing writes.
func wanted(name string) bool {
	switch path.Ext(name) {
	case ".go", ".yaml", ".yml", ".java":
		return !notCode.MatchString(name)
	}
	return false
}

var javaString = regexp.MustCompile(`"([^"\\\n]*)"`)

func (u *upstream) file(name string, data []byte) {
	switch path.Ext(name) {
	case ".go":
		u.goFile(name, data)
	case ".java":
		for _, m := range javaString.FindAllSubmatch(data, -1) {
			u.word(string(m[1]))
		}
		for _, m := range regexp.MustCompile(`\b[A-Z][A-Za-z]+\b|\b[A-Z_]{3,}\b`).FindAll(data, -1) { // names of enumerations
			u.word(string(m))
		}
	default:
		u.definitions(name, data)
	}
}

func (u *upstream) word(text string) {
	if len(text) < 200 {
		u.words[text] = true
	}
	if strings.ContainsAny(text, " %=,") {
		u.text.WriteString(text + "\n")
	}
}

// has reports whether the source has a word, alone or in a longer text, or composed of two words that it has.
func (u *upstream) has(word string) bool {
	if u.words[word] || strings.Contains(u.text.String(), word) {
		return true
	}
	for i := 1; i < len(word)-1; i++ {
		if word[i] >= 'A' && word[i] <= 'Z' && u.words[word[:i]] && u.words[word[i:]] {
			return true
		}
	}
	return false
}
