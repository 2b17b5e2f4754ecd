// SPDX-License-Identifier: Apache-2.0

package verdict

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
	for flag, names := range map[flagMeaning]string{
		flagWaits: "ready readyToUse isReady healthy available synced completed initialized provisioned deployed installed connected " +
			"registered attached " +
			"applied reconciled",
		flagLight:  "finished upToDate established published accepted bound online",
		flagResult: "succeeded successful success isSuccess issuccess",
		flagFails:  "valid pass passed",
		flagWork:   "inProgress updating upgrading reconciling transitioning restarting initializing deleting",
	} {
		for name := range setOf(names) {
			out[name] = flag
		}
	}
	return out
}()

// lightFlagEnds are the ends of names of booleans that are true if a component is healthy.
var lightFlagEnds = suffixesOf("Ready Granted Available Healthy Synced Initialized")

// flagKind returns the meaning of a flag by its name.
func (ev *evidence) flagKind(key string) flagMeaning {
	m, ok := flagKeys[key]
	switch {
	case ok:
		return m
	case workFlag(ev, key):
		return flagWork
	case lightFlagEnds.end(key) && ev.types.about(key).aspect == aspectPositive:
		return flagLight
	}
	return flagOther
}
