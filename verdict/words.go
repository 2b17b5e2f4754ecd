// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	_ "embed"
	"strings"
)

//go:embed words.tsv
var wordsTable string

// A Word is an entry of the lexicon.
type Word struct {
	// In is where it counts: "word" of reasons, states and types, "message" of sentences, "both" of either, "whole" for values that are read as a whole.
	In string
	// Meaning is "good", "not-so", "held", "under-way", "not-known", "broken" or "nothing".
	Meaning string
	Word    string
	// Example is a value of a vendor's vocabulary that has the word, where one is known.
	Example string
	// Keep is why the word is there although no object of any corpus is judged otherwise without it; empty where one is.
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

// lexicon is what the words of an object mean.
type lexicon struct {
	words    map[string]meaning // of reasons, types and states
	sentence map[string]meaning // of messages
	phrases  map[string]meaning // whole values whose words mislead
	read     map[WordRead]bool  // what was looked up, where that is asked for
}

var defaultLexicon = newLexicon(Words())

// newLexicon makes a lexicon of words.
func newLexicon(words []Word) *lexicon {
	x := &lexicon{words: map[string]meaning{}, sentence: map[string]meaning{}, phrases: map[string]meaning{}}
	in := map[string][]map[string]meaning{"word": {x.words}, "message": {x.sentence}, "both": {x.words, x.sentence}, "whole": {x.phrases}}
	meanings := map[string]meaning{}
	for s, name := range meaningNames {
		meanings[name] = meaning(s)
	}
	for _, w := range words {
		for _, m := range in[w.In] {
			m[w.Word] = meanings[w.Meaning]
		}
	}
	return x
}
