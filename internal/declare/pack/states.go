// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"cmp"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/verdict"
)

// state is a compiled table of values.
type state struct {
	name              string
	condition         string
	field             path // of the word, without a condition
	message           path
	words             map[word]verdict.Status
	otherwise, absent verdict.Status
}

// word is the value of a field, or the status and reason of a condition; an empty reason matches any.
type word struct{ text, reason string }

func newState(s *catalog.State) state {
	out := state{condition: s.Condition, words: map[word]verdict.Status{},
		otherwise: verdict.Status(s.Otherwise), absent: verdict.Status(s.Absent)}
	for text, status := range s.Words {
		w := word{text: text}
		if s.Condition != "" {
			w.text, w.reason, _ = strings.Cut(text, "/")
		}
		out.words[w] = verdict.Status(status)
	}
	if s.Path != "" {
		out.field = pathOf(s.Path)
	}
	if s.Message != "" {
		out.message = pathOf(s.Message)
	}
	return out
}

func wordOf(c verdict.Condition) word { return word{string(c.Status), c.Reason()} }

// knows reports whether the table has a verdict for a word. A row of progress for every reason leaves a reason and a
// message of failure of a condition that is not True to conventions.
func (s *state) knows(have word) bool {
	if _, named := s.words[have]; named && have.reason != "" {
		return true
	}
	status := s.answers(have)
	return status != "" && (status != verdict.InProgress || have.text == string(conditions.True))
}

// answers returns the verdict of the table for a word; empty without one.
func (s *state) answers(have word) verdict.Status {
	status, known := s.words[have]
	if !known && have.reason != "" {
		status, known = s.words[word{text: have.text}]
	}
	switch {
	case known:
		return status
	case have.text == "":
		return s.absent
	}
	return s.otherwise
}

// judge returns the verdict of the table, if it has one for the object.
func (s *state) judge(look *view, v *verdict.Verdict) bool {
	var field verdict.Object
	var have word
	var c verdict.Condition
	if s.condition != "" {
		var stale bool
		if c, stale, _ = look.condition(s.condition); stale {
			return false
		}
		have = wordOf(c)
	} else {
		field = look.object.Get(s.field.fields...)
		have.text = field.Text()
	}
	status := s.answers(have)
	if status == "" {
		return false
	}
	v.Status, v.Rule = status, s.name
	if s.condition != "" {
		v.Reason = cmp.Or(c.Reason(), s.condition)
		if have.text != "" {
			v.Follow(c)
		}
	} else {
		v.Reason = cmp.Or(have.text, string(status))
		if have.text != "" {
			v.Message = s.field.fields[len(s.field.fields)-1] + " is " + have.text
		}
		v.Prove(s.field.dotted, field.Value())
	}
	if s.message.dotted != "" {
		if text := look.object.Get(s.message.fields...).Text(); text != "" {
			v.Message = text
		}
	}
	settle(v)
	return true
}
