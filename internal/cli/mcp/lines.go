// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the largest message of a client, in bytes. The arguments of the tools are short.
const maxLine = 1 << 20

// serve answers messages, one a line, until in or ctx ends.
func serve(ctx context.Context, s *mcp.Server, in io.Reader, out io.Writer) error {
	messages, filtered := io.Pipe()
	answers := &lineWriter{w: out}
	go func() { _ = filtered.CloseWithError(filter(bufio.NewReader(in), filtered, answers)) }() // it never fails
	return s.Run(ctx, &mcp.IOTransport{Reader: messages, Writer: answers})
}

// lineWriter writes one line after the other, of the session and of filter. The session does not close what it writes to.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lineWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(line)
}

func (l *lineWriter) Close() error { return nil }

// filter passes on the lines that are messages. Other lines would end the session: it answers them with an error, as JSON-RPC requires,
// and drops empty ones.
func filter(in *bufio.Reader, to, out io.Writer) error {
	for {
		line, err := readLine(in)
		switch line = bytes.TrimSpace(line); {
		case len(line) > maxLine:
			refuse(out, -32600, fmt.Sprintf("a line has more than %d bytes", maxLine))
		case len(line) > 0:
			if _, wrong := jsonrpc.DecodeMessage(line); wrong != nil {
				refuse(out, -32700, "a line is no message of JSON-RPC 2.0")
			} else if _, err := to.Write(append(line, '\n')); err != nil {
				return nil // the session has ended
			}
		}
		if err != nil {
			return nil // the end of the input ends the session
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
