// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the largest message of a client, in bytes. The arguments of the tools are short.
const maxLine = 1 << 20

// serve answers messages, one a line, until in or ctx ends. Every request that came before the end of in is answered.
func serve(ctx context.Context, s *mcp.Server, in io.Reader, out io.Writer) error {
	messages, filtered := io.Pipe()
	answers := newLineWriter(out)
	ended, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(ended, answers.stop)()
	go func() {
		filter(bufio.NewReader(in), filtered, answers)
		answers.drain()
		_ = filtered.Close() // it never fails
	}()
	return s.Run(ctx, &mcp.IOTransport{Reader: messages, Writer: answers})
}

// lineWriter writes one line after the other, of the session and of filter, and knows which requests are not answered yet. The session does
// not close what it writes to.
type lineWriter struct {
	mu      sync.Mutex
	w       io.Writer
	open    map[jsonrpc.ID]bool
	stopped bool // nothing more can be written
	changed sync.Cond
}

func newLineWriter(out io.Writer) *lineWriter {
	l := &lineWriter{w: out, open: map[jsonrpc.ID]bool{}}
	l.changed.L = &l.mu
	return l
}

func (l *lineWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.changed.Broadcast()
	if m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(line)); err == nil {
		if answer, is := m.(*jsonrpc.Response); is {
			delete(l.open, answer.ID)
		}
	}
	n, err := l.w.Write(line)
	l.stopped = l.stopped || err != nil
	return n, err
}

func (l *lineWriter) Close() error { return nil }

// asked notes a message of the client.
func (l *lineWriter) asked(m jsonrpc.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	request, is := m.(*jsonrpc.Request)
	switch {
	case !is:
	case request.IsCall():
		l.open[request.ID] = true
	case request.Method == "notifications/cancelled": // its answer may never come
		var of struct {
			ID any `json:"requestId"`
		}
		if json.Unmarshal(request.Params, &of) == nil {
			if id, err := jsonrpc.MakeID(of.ID); err == nil {
				delete(l.open, id)
			}
		}
	}
}

// drain waits until every request is answered, or nothing more can be written.
func (l *lineWriter) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) > 0 && !l.stopped {
		l.changed.Wait()
	}
}

// stop ends drain.
func (l *lineWriter) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	l.changed.Broadcast()
}

// filter passes on the lines that are messages, until the input or the session ends. Other lines would end the session: it answers them
// with an error, as JSON-RPC requires, and drops empty ones.
func filter(in *bufio.Reader, to io.Writer, answers *lineWriter) {
	for {
		line, err := readLine(in)
		switch line = bytes.TrimSpace(line); {
		case len(line) > maxLine:
			refuse(answers, -32600, fmt.Sprintf("a line has more than %d bytes", maxLine))
		case len(line) > 0:
			m, wrong := jsonrpc.DecodeMessage(line)
			if wrong != nil {
				refuse(answers, -32700, "a line is no message of JSON-RPC 2.0")
				break
			}
			answers.asked(m)
			if _, err := to.Write(append(line, '\n')); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine returns the next line. A line that is too long is cut one byte after the limit.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxLine+1-len(line))]...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// refuse answers a line whose request is not known.
func refuse(out io.Writer, code int, message string) {
	fmt.Fprintf(out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, message)
}
