// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/declare/pack"
)

// vocabularies reads those of the shipped packs.
func vocabularies(t testing.TB) []pack.Vocabulary {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "catalogs", "packs", "vocabulary", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vocabularies: %v", err)
	}
	var out []pack.Vocabulary
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list, err := pack.ReadVocabularies(file, data)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, list...)
	}
	return out
}

// Each word that a controller writes gets the verdict that it has beside an otherwise healthy status, by the pack or by conventions.
func TestVocabulary_judged(t *testing.T) {
	own, _ := shipped(t)
	engine := pack.Default(own)
	words := 0
	list := vocabularies(t)
	for i := range list {
		for _, o := range list[i].Judge(engine) {
			for _, wrong := range o.Wrong {
				t.Errorf("%s: %s: %s, by %s: %s", list[i].Group, o.Case.Name, wrong, o.Verdict.Rule, o.Verdict.Message)
			}
		}
		words += list[i].Size()
	}
	t.Logf("%d vocabularies, %d words", len(list), words)
}

// Each word that a pack reads is one that the controller writes.
func TestVocabulary_listed(t *testing.T) {
	_, packs := shipped(t)
	list := vocabularies(t)
	for _, k := range packs.Kinds() {
		for _, finding := range pack.Unlisted(k, list) {
			t.Error(finding)
		}
	}
	if without := pack.Unsourced(packs, list); len(without) > 0 {
		t.Errorf("%d packs read words that no vocabulary holds them to: %s", len(without), strings.Join(without, ", "))
	}
	sourced := 0
	for i := range list {
		if list[i].Sourced() {
			sourced++
		}
	}
	t.Logf("%d of %d vocabularies were read from sources", sourced, len(list))
}

// Each word of a vocabulary is in the sources that it names.
func TestVocabulary_sources(t *testing.T) {
	checked, unread := 0, map[string]bool{}
	for _, v := range vocabularies(t) {
		repository, found := strings.CutPrefix(v.Source, "github.com/")
		if !found {
			continue
		}
		owner, name, _ := strings.Cut(repository, "/")
		name, _, _ = strings.Cut(name, "/")
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "vocab", owner+"_"+name+".tsv"))
		if err != nil {
			unread[v.Source] = true
			continue
		}
		values := map[string]bool{}
		for line := range strings.Lines(string(data)) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(fields) >= 4 {
				values[strings.Trim(fields[2], `"`)] = true
			}
			if fields[0] == "enum" && len(fields) >= 4 {
				for _, word := range strings.Split(fields[3], ";") {
					values[word] = true
				}
			}
		}
		for _, word := range v.Computed {
			if values[word] {
				t.Errorf("%s.%s: %q is a constant in the sources of %s, so it is not computed", v.Kinds[0], v.Group, word, v.Source)
			}
		}
		for _, word := range v.Listed() {
			checked++
			if !values[word] {
				t.Errorf("%s.%s: the sources of %s do not have %q", v.Kinds[0], v.Group, v.Source, word)
			}
		}
	}
	if checked == 0 {
		t.Skip("no words of sources (../shared/vocab) beside the repository")
	}
	t.Logf("%d words found in their sources; sources that are not beside the repository: %d %v", checked, len(unread),
		slices.Sorted(keys(unread)))
}

func keys(m map[string]bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}
