// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"io"
	"log"
	"sync"
)

// quietLog is for servers whose clients are killed.
var quietLog = log.New(io.Discard, "", 0)

// lines is a log that may be read while it is written.
type lines struct {
	mu   sync.Mutex
	text []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	return len(p), nil
}

// last returns the end of the log.
func (l *lines) last(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text[max(0, len(l.text)-n):])
}
