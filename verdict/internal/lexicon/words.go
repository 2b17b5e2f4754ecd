// SPDX-License-Identifier: Apache-2.0

package lexicon

import (
	_ "embed"
	"strings"
)

//go:embed words.tsv
var wordsTable string

// Word is an entry of the lexicon.
type Word struct {
	// In is where the word counts: "word" in reasons, states and types, "message" in sentences, "both" in either, "whole" as a whole value.
	In string
	// Meaning is "good", "not-so", "held", "under-way", "not-known", "broken" or "nothing".
	Meaning string
	Word    string
	// Example is a value that has the word, of the vocabulary of a vendor where one is known.
	Example string
	// Keep is the reason to keep a word without which the verdict on no object of any corpus changes; empty for any other.
	Keep string
}

// Words lists the entries of the lexicon.
func Words() []Word {
	var out []Word
	for line := range strings.Lines(wordsTable) {
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		columns := append(strings.Split(line, "\t"), "", "", "", "")
		out = append(out, Word{columns[0], columns[1], columns[2], columns[3], columns[4]})
	}
	return out
}

//go:embed lists.tsv
var listsTable string

// lists are the lists of lists.tsv by name.
var lists = func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(listsTable) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) > 1 && line[0] != '#' {
			out[f[0]] = f[1]
		}
	}
	return out
}()

// List returns a list of words. One that is not in the table is a mistake of this package.
func List(name string) string {
	words, known := lists[name]
	if !known {
		panic("lexicon: no list " + name)
	}
	return words
}

// Lexicon has the meanings of words.
type Lexicon struct {
	words    map[string]Meaning // of reasons, types and states
	sentence map[string]Meaning // of messages
	phrases  map[string]Meaning // whole values whose words mislead
	Read     map[Read]bool      // the words that were looked up, if they are asked for
}

// Default is the lexicon of the words that the project ships.
var Default = New(Words())

// New returns a lexicon of some words.
func New(words []Word) *Lexicon {
	l := &Lexicon{words: map[string]Meaning{}, sentence: map[string]Meaning{}, phrases: map[string]Meaning{}}
	in := map[string][]map[string]Meaning{"word": {l.words}, "message": {l.sentence}, "both": {l.words, l.sentence}, "whole": {l.phrases}}
	meanings := map[string]Meaning{}
	for s, name := range meaningNames {
		meanings[name] = Meaning(s)
	}
	for _, w := range words {
		for _, m := range in[w.In] {
			m[w.Word] = meanings[w.Meaning]
		}
	}
	return l
}

// wordSet is a set of words.
type wordSet map[string]bool

// SetOf returns the set of the words of a text.
func SetOf(text string) wordSet {
	s := wordSet{}
	for _, w := range strings.Fields(text) {
		s[w] = true
	}
	return s
}

// Has reports whether the set has a word, without allocating.
func (s wordSet) Has(w []byte) bool { return s[string(w)] }

// In reports whether a text has a word of the set.
func (s wordSet) In(text string) bool {
	t := Tokenizer{Text: text}
	for w := t.Next(); w != nil; w = t.Next() {
		if s.Has(w) {
			return true
		}
	}
	return false
}

// suffixes are suffixes of names by their last two bytes, so that most names are compared with none.
type suffixes [128][]string

// slot returns the index of the suffixes with which a name of at least two bytes is compared.
func slot(name string) int {
	n := len(name)
	return (int(name[n-2])*5 + int(name[n-1])) % len(suffixes{})
}

// SuffixesOf returns the suffixes of a text.
func SuffixesOf(text string) *suffixes {
	s := new(suffixes)
	for _, w := range strings.Fields(text) {
		s[slot(w)] = append(s[slot(w)], w)
	}
	return s
}

// End reports whether a name has one of the suffixes.
func (s *suffixes) End(name string) bool {
	if len(name) < 2 {
		return false
	}
	for _, w := range s[slot(name)] {
		if strings.HasSuffix(name, w) {
			return true
		}
	}
	return false
}

// Cut returns at most n bytes of a text.
func Cut(text string, n int) string { return text[:min(len(text), n)] }

// Read is a word that was looked up, with its meaning and where it was read.
type Read struct{ Word, Meaning, In string }

// note records a word that was read, if the words are asked for.
func (l *Lexicon) note(in string, word []byte, m Meaning) {
	if l.Read != nil && m != None {
		l.Read[Read{Word: string(word), Meaning: m.String(), In: in}] = true
	}
}
