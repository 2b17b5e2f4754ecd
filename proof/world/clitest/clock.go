// SPDX-License-Identifier: Apache-2.0

package clitest

import (
	"sync"
	"time"
)

// Clock is the clock of the machine, which a test can put forward: Now and Ring are for the fields of an app. The zero
// value is ready for use.
type Clock struct {
	Rang func(n int) // is called when Ring was, for the n-th time; may be nil

	mu     sync.Mutex
	ahead  time.Duration
	alarms []alarm
	rings  int
}

type alarm struct {
	at    time.Time
	timer *time.Timer
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

// Ring returns a channel that gets a value once the clock has reached a time.
func (c *Clock) Ring(at time.Time) <-chan time.Time {
	c.mu.Lock()
	rung := make(chan time.Time, 1)
	timer := time.AfterFunc(time.Until(at)-c.ahead, func() {
		select {
		case rung <- at:
		default: // the clock was put forward meanwhile
		}
	})
	c.alarms = append(c.alarms, alarm{at, timer})
	c.rings++
	n := c.rings
	c.mu.Unlock()
	if c.Rang != nil {
		c.Rang(n)
	}
	return rung
}

// Step puts the clock forward.
func (c *Clock) Step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
	left := c.alarms[:0]
	for _, a := range c.alarms {
		in := time.Until(a.at) - c.ahead
		if a.timer.Reset(in); in > 0 {
			left = append(left, a)
		}
	}
	c.alarms = left
}
