// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/cli/exit"
)

// Doubt is the flag --doubt: whether a healthy object whose verdict is in doubt counts as healthy, as it does by the zero value.
type Doubt string

// Add adds the flag. use describes for what it counts.
func (d *Doubt) Add(f *pflag.FlagSet, use string) {
	f.StringVar((*string)(d), "doubt", "pass", use+": fail or pass")
}

// Check reports a value that the flag does not have.
func (d Doubt) Check() error {
	if d != "" && d != "pass" && d != "fail" {
		return exit.Usagef("--doubt %q: use one of fail, pass", string(d))
	}
	return nil
}

// Fails reports whether such an object does not count as healthy.
func (d Doubt) Fails() bool { return d == "fail" }
