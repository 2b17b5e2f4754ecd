// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
)

// compare prints what packs and their source do not have in common, and returns the number of lines.
func compare(o options, files []string) (int, error) {
	u, err := read(o)
	if err != nil {
		return 0, err
	}
	findings, documents := 0, 0
	for _, file := range files { // each is a set of its own, as a pack is
		data, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		set, err := catalog.Load(map[string][]byte{file: data})
		if err != nil {
			return 0, err
		}
		known, err := vocabulary(file)
		if err != nil {
			return 0, err
		}
		sources := map[string]string{}
		engine := pack.Engine(set)
		for _, k := range set.Kinds() {
			kinds := u.kinds(k, set)
			if len(kinds) == 0 {
				continue
			}
			documents++
			lines := u.lines(k, kinds, engine, known)
			for _, line := range lines {
				fmt.Printf("%s %s: %s\n", filepath.Base(file), k.Source.Metadata.Name, line)
			}
			findings += len(lines)
			where := path.Dir(u.files[kinds[0]])
			if len(kinds) == 1 {
				where = u.files[kinds[0]]
			}
			sources[k.Source.Metadata.Name] = fmt.Sprintf("%s@%s, %s", o.repository, u.commit, where)
			if u.date != "" {
				sources[k.Source.Metadata.Name] += " of " + u.date
			}
		}
		if o.write {
			if err := os.WriteFile(file, record(data, sources), 0o644); err != nil {
				return 0, err
			}
		}
	}
	fmt.Printf("%s@%s of %s: %d documents, %d findings\n", o.repository, u.commit, u.date, documents, findings)
	return findings, nil
}

// kinds returns the kinds of a document that the repository defines, as Kind.group. Those of a group are the ones without a document of
// their own.
func (u *upstream) kinds(k *catalog.Kind, set *catalog.Set) []string {
	own := map[string]bool{}
	for _, other := range set.Kinds() {
		for _, gk := range other.Source.Spec.For.All() {
			own[gk.Kind+"."+gk.Group] = true
		}
	}
	var out []string
	for _, gk := range k.Source.Spec.For.All() {
		if gk.Kind != catalog.AnyKind {
			if name := gk.Kind + "." + gk.Group; u.files[name] != "" {
				out = append(out, name)
			}
			continue
		}
		for name := range u.files {
			if _, group, _ := strings.Cut(name, "."); group == gk.Group && !own[name] {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func vocabulary(file string) ([]pack.Vocabulary, error) {
	name := filepath.Join(filepath.Dir(file), "vocabulary", filepath.Base(file))
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil // a pack without words has none
	}
	return pack.ReadVocabularies(name, data)
}

var index = regexp.MustCompile(`\[[^\]]*\]`)

func (u *upstream) lines(k *catalog.Kind, kinds []string, engine *verdict.Engine, vocabularies []pack.Vocabulary) []string {
	var out []string
	own := map[string]bool{}
	for _, w := range reads(k) {
		own[w.text] = true
		switch {
		case w.path && !strings.HasPrefix(w.text, "status."):
		case w.path:
			name := index.ReplaceAllString(w.text, "[]")
			if !slices.ContainsFunc(kinds, func(kind string) bool {
				return u.open[kind] || u.paths[kind] == nil || u.paths[kind][name] || u.paths[kind][name+"[]"]
			}) {
				out = append(out, fmt.Sprintf("never: path %s of %s", w.text, w.place))
			}
		case !u.has(w.text):
			out = append(out, fmt.Sprintf("never: %q of %s", w.text, w.place))
		}
	}
	for i := range vocabularies {
		v := &vocabularies[i]
		if !slices.ContainsFunc(v.Kinds, func(kind string) bool { return slices.Contains(kinds, kind+"."+v.Group) }) {
			continue
		}
		for _, w := range v.Listed() {
			if !own[w] && !u.has(w) {
				out = append(out, fmt.Sprintf("never: %q of the vocabulary of %s", w, v.Kinds[0]))
			}
		}
	}
	for _, kind := range kinds {
		for _, at := range slices.Sorted(maps.Keys(u.values[kind])) {
			if strings.Contains(at, "[]") || strings.HasPrefix(at, "status.conditions") {
				continue // a list is judged as a whole
			}
			for _, v := range u.values[kind][at].list {
				if own[v] || strings.EqualFold(v, "Unknown") {
					continue
				}
				if got := judge(engine, kind, at, v, vocabularies); got.Status == verdict.Unknown || got.Rule == "state/strange" {
					out = append(out, fmt.Sprintf("unread: %s %s=%s is %s by %s", kind, at, v, got.Status, got.Rule))
				}
			}
		}
	}
	return out
}

// judge returns the verdict about an object whose field has a value: a healthy one where a vocabulary describes it.
func judge(engine *verdict.Engine, kind, at, value string, vocabularies []pack.Vocabulary) verdict.Verdict {
	name, group, _ := strings.Cut(kind, ".")
	object := map[string]any{}
	for i := range vocabularies {
		if v := &vocabularies[i]; v.Group == group && slices.Contains(v.Kinds, name) {
			object = clone(v.Healthy)
			break
		}
	}
	object["apiVersion"], object["kind"] = group+"/v1", name
	object["metadata"] = map[string]any{"name": "x", "generation": int64(1)}
	into := object
	keys := strings.Split(at, ".")
	for _, key := range keys[:len(keys)-1] {
		next, _ := into[key].(map[string]any)
		if next == nil {
			next = map[string]any{}
			into[key] = next
		}
		into = next
	}
	into[keys[len(keys)-1]] = value
	return engine.Judge(object, time.Now())
}

func clone(m map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		if inner, ok := v.(map[string]any); ok {
			v = clone(inner)
		}
		out[k] = v
	}
	return out
}

// record adds the source to the documents that have none: below the line of their kind.
func record(data []byte, sources map[string]string) []byte {
	var out bytes.Buffer
	name := ""
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i, line := range lines {
		if m := nameLine.FindSubmatch(line); m != nil {
			name = string(m[1])
		}
		// a document on one line
		if m := inline.FindIndex(line); m != nil && sources[name] != "" && !bytes.HasPrefix(line[m[1]:], []byte("source:")) {
			line = []byte(fmt.Sprintf("%ssource: %q, %s", line[:m[1]], sources[name], line[m[1]:]))
		}
		out.Write(line)
		if bytes.HasPrefix(line, []byte("  for:")) && sources[name] != "" &&
			(i+1 >= len(lines) || !bytes.HasPrefix(lines[i+1], []byte("  source:"))) {
			fmt.Fprintf(&out, "  source: %s\n", sources[name])
		}
	}
	return out.Bytes()
}

var inline = regexp.MustCompile(`^spec: \{for: \{[^{}]*\}, `)

var nameLine = regexp.MustCompile(`^metadata: \{name: ([^,}]+)`)
