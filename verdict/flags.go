// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// flagMeaning is what it means that a flag is false.
type flagMeaning uint8

const (
	flagOther  flagMeaning = iota
	flagWaits              // not reached yet
	flagFails              // refused
	flagResult             // not reached yet, or failed where the object says that it has finished
	flagLight              // not reached yet, perhaps by a part only; what a summary says outweighs it
	flagWork               // nothing: it is true while something is under way
)

// flagKeys are the names of booleans that are true where all is well, and of some that are true while something is under way.
var flagKeys = map[string]flagMeaning{
	"ready": flagWaits, "readyToUse": flagWaits, "isReady": flagWaits, "healthy": flagWaits, "available": flagWaits,
	"synced": flagWaits, "completed": flagWaits, "initialized": flagWaits, "provisioned": flagWaits, "deployed": flagWaits,
	"installed": flagWaits, "connected": flagWaits, "registered": flagWaits, "attached": flagWaits, "applied": flagWaits,
	"reconciled": flagWaits, "finished": flagLight, "upToDate": flagLight, "established": flagLight, "published": flagLight,
	"accepted": flagLight, "bound": flagLight, "online": flagLight,
	"succeeded": flagResult, "successful": flagResult, "success": flagResult, "isSuccess": flagResult, "issuccess": flagResult,
	"valid": flagFails, "pass": flagFails, "passed": flagFails,
	"inProgress": flagWork, "updating": flagWork, "upgrading": flagWork, "reconciling": flagWork, "transitioning": flagWork,
	"restarting": flagWork, "initializing": flagWork, "deleting": flagWork,
}

// lightFlagEnds are the ends of names of booleans that are true where all is well with a part.
var lightFlagEnds = [...]string{"Ready", "Granted", "Available", "Healthy", "Synced", "Initialized"}

func (ev *evidence) flagKind(key string) flagMeaning {
	if m, ok := flagKeys[key]; ok {
		return m
	}
	if workFlag(ev, key) {
		return flagWork
	}
	for _, end := range lightFlagEnds {
		if strings.HasSuffix(key, end) && ev.types.about(key).aspect == aspectPositive {
			return flagLight
		}
	}
	return flagOther
}
