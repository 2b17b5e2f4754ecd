// SPDX-License-Identifier: Apache-2.0

package view

import (
	"time"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/verdict"
)

// FileClock finds the time as of which the objects of files are judged and their ages are computed. ReadAt is when they are read.
type FileClock struct {
	ReadAt time.Time
	newest time.Time
	flag   string // of --at
}

// AddFlag adds the flag --at.
func (c *FileClock) AddFlag(f *pflag.FlagSet) {
	f.StringVar(&c.flag, "at", "", "time as of which objects of files are judged: RFC 3339, or now (default the newest time in them)")
}

// Check refuses an --at that is no time, and one where no files are read.
func (c *FileClock) Check(files bool) error {
	if _, err := time.Parse(time.RFC3339, c.flag); err != nil && c.flag != "" && c.flag != "now" {
		return exit.Usagef("--at %q: write a time as 2026-01-02T03:04:05Z, or now", c.flag)
	}
	if c.flag != "" && !files {
		return exit.Usagef("--at needs files")
	}
	return nil
}

// Saw takes the times of an object into account.
func (c *FileClock) Saw(content map[string]any) {
	if at := verdict.Newest(content, c.ReadAt); at.After(c.newest) {
		c.newest = at
	}
}

// App returns an app whose clock is set to the time of --at or, without that flag, to the newest time in the files. Files without any time
// are judged as of when they were read.
func (c *FileClock) App(a *app.App) *app.App {
	at, err := time.Parse(time.RFC3339, c.flag)
	switch {
	case err == nil:
		return a.At(at)
	case c.flag == "now" || c.newest.IsZero():
		return a.At(c.ReadAt)
	}
	return a.At(c.newest)
}
