// SPDX-License-Identifier: Apache-2.0

package view

import (
	"time"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/verdict"
)

// FileClock finds the time as of which the objects of files are judged and their ages are computed. ReadAt is when they are read.
type FileClock struct {
	ReadAt time.Time
	newest time.Time
}

// Saw takes the times of an object into account.
func (c *FileClock) Saw(content map[string]any) {
	if at := verdict.Newest(content, c.ReadAt); at.After(c.newest) {
		c.newest = at
	}
}

// App returns an app whose clock is set to the time of --at or, without that flag, to the newest time in the files. Files without any time
// are judged as of when they were read.
func (c *FileClock) App(a *app.App, flag string) *app.App {
	at, err := time.Parse(time.RFC3339, flag)
	switch {
	case err == nil:
		return a.At(at)
	case flag == "now" || c.newest.IsZero():
		return a.At(c.ReadAt)
	}
	return a.At(c.newest)
}
