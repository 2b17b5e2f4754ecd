// SPDX-License-Identifier: Apache-2.0

package convention

import "github.com/tristate/tristate/verdict/internal/lexicon"

// flagMeaning is the meaning of a flag that is false.
type flagMeaning uint8

const (
	flagOther  flagMeaning = iota
	flagWaits              // not reached yet
	flagFails              // refused
	flagResult             // not reached yet, or failed if the object has finished
	flagLight              // not reached yet, maybe only by a component; a summary outweighs it
	flagWork               // none: it is true while something is under way
)

// flagKeys are the names of booleans that are true on a healthy object, and of some that are true while something is under way.
var flagKeys = func() map[string]flagMeaning {
	out := map[string]flagMeaning{}
	for name, flag := range map[string]flagMeaning{"flags": flagWaits, "lightFlags": flagLight, "resultFlags": flagResult,
		"failFlags": flagFails, "workFlags": flagWork} {
		for key := range lexicon.SetOf(lexicon.List(name)) {
			out[key] = flag
		}
	}
	return out
}()

// lightFlagEnds are the ends of names of booleans that are true if a component is healthy.
var lightFlagEnds = lexicon.SuffixesOf(lexicon.List("lightFlagEnds"))

// flagKind returns the meaning of a flag by its name.
func (ev *evidence) flagKind(key string) flagMeaning {
	m, ok := flagKeys[key]
	switch {
	case ok:
		return m
	case workFlag(ev, key):
		return flagWork
	case lightFlagEnds.End(key) && ev.Types.About(key).Aspect == lexicon.AspectPositive:
		return flagLight
	}
	return flagOther
}
