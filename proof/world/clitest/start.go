// SPDX-License-Identifier: Apache-2.0

package clitest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli"
)

// Started is a command that runs; its output is read by lines.
type Started struct {
	t     *testing.T
	out   *bufio.Scanner
	Err   *lockedBuffer
	Stop  context.CancelFunc
	ended chan int
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Start starts a command in this process, on a terminal or not.
func Start(t *testing.T, now func() time.Time, terminal bool, args ...string) *Started {
	t.Helper()
	reader, writer := io.Pipe()
	ctx, stop := context.WithTimeout(t.Context(), 15*time.Minute)
	s := &Started{t: t, out: bufio.NewScanner(reader), Err: &lockedBuffer{}, Stop: stop, ended: make(chan int, 1)}
	if terminal {
		s.out.Split(frames)
	}
	a := &cli.App{In: &bytes.Buffer{}, Out: writer, Err: s.Err, Env: func(string) string { return "" }, Now: now, Name: "tristate",
		Terminal: terminal, Width: 200}
	go func() {
		s.ended <- a.Run(ctx, args)
		writer.Close()
	}()
	t.Cleanup(func() {
		stop()
		_, _ = io.Copy(io.Discard, reader)
	})
	return s
}

// frames splits at the ends of lines and at carriage returns.
func frames(data []byte, end bool) (int, []byte, error) {
	if i := bytes.IndexAny(data, "\r\n"); i >= 0 {
		return i + 1, data[:i], nil
	}
	if end && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// See reads until a line has each of some texts.
func (s *Started) See(texts ...string) string {
	s.t.Helper()
	var all []string
scan:
	for s.out.Scan() {
		all = append(all, s.out.Text())
		for _, text := range texts {
			if !strings.Contains(s.out.Text(), text) {
				continue scan
			}
		}
		return s.out.Text()
	}
	s.t.Fatalf("no line has %q:\n%s\nstandard error:\n%s", texts, strings.Join(all, "\n"), s.Err)
	return ""
}

// Rest reads to the end and returns the exit code.
func (s *Started) Rest() (text string, code int) {
	var all []string
	for s.out.Scan() {
		all = append(all, s.out.Text())
	}
	return strings.Join(all, "\n"), <-s.ended
}
