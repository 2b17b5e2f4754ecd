// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// stream is the text of a file, which is read once, document by document.
type stream struct {
	in    *bufio.Reader
	line  int  // of the next byte, from 1
	start bool // the next byte begins a line
	err   error
}

func newStream(in *bufio.Reader) *stream { return &stream{in: in, line: 1, start: true} }

// document returns the next document. It ends at a line that begins with --- or ..., which YAML allows nowhere inside a document.
func (t *stream) document() *document { return &document{stream: t, line: t.line} }

// next goes on behind the separator that ended a document, and reports whether there was one. The rest of its line belongs to the next
// document.
func (t *stream) next() bool {
	if t.err != nil || !t.separated() {
		return false
	}
	_, _ = t.in.Discard(3)
	t.start = false
	return true
}

func (t *stream) separated() bool {
	if !t.start {
		return false
	}
	line, _ := t.in.Peek(4)
	return separates(line)
}

func separates(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("---")) && !bytes.HasPrefix(line, []byte("...")) {
		return false
	}
	return len(line) == 3 || strings.IndexByte(" \t\r\n", line[3]) >= 0
}

// document reads one document of a stream and keeps account of its lines.
type document struct {
	stream *stream
	size   int64   // bytes that were read
	ends   []int64 // offsets behind the line ends that were read, beginning with the first that lineAt has not passed
	line   int     // of the first byte before ends
	ended  bool
}

// Read is a method of io.Reader. The document ends with io.EOF also where its file could not be read further; see stream.err.
func (d *document) Read(p []byte) (int, error) {
	t := d.stream
	if d.ended = d.ended || t.separated(); d.ended {
		return 0, io.EOF
	}
	if _, err := t.in.Peek(1); err != nil {
		if d.ended = true; !errors.Is(err, io.EOF) {
			t.err = err
		}
		return 0, io.EOF
	}
	buffered, _ := t.in.Peek(t.in.Buffered())
	chunk := buffered[:min(len(buffered), len(p))]
	n := 0
	t.start = false
	for n < len(chunk) && !t.start {
		end := bytes.IndexByte(chunk[n:], '\n')
		if end < 0 {
			n = len(chunk)
			break
		}
		n += end + 1
		d.ends = append(d.ends, d.size+int64(n))
		t.line++
		t.start = n+4 > len(buffered) || separates(buffered[n:n+4])
	}
	t.start = t.start || n > 0 && chunk[n-1] == '\n'
	copy(p, chunk[:n])
	_, _ = t.in.Discard(n)
	d.size += int64(n)
	return n, nil
}

// lineAt returns the line of an offset in the document. Offsets never decrease from call to call.
func (d *document) lineAt(offset int64) int {
	n := 0
	for n < len(d.ends) && d.ends[n] <= offset {
		n++
	}
	d.line += n
	if d.ends = d.ends[n:]; len(d.ends) == 0 {
		d.ends = nil // or it would grow at its end for ever
	}
	return d.line
}
