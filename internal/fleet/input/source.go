// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf16"
	"unicode/utf8"
)

// limit is the largest size of a decompressed file, in bytes, as a small file may hold any amount of text.
const limit = 16 << 30

// bufferSize is the size of the buffers of text, in bytes.
const bufferSize = 64 << 10

// ReadFile reads a file of at most a number of bytes. Others, as devices that never end, are an error.
func ReadFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d MiB", name, most>>20)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// plainText returns text decompressed and in UTF-8.
func plainText(from io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(from, bufferSize)
	start, err := in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(start) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("decompress: %w", err)
		}
		in = bufio.NewReaderSize(&unpacked{from: z}, bufferSize)
	}
	start, err = in.Peek(262)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case len(start) == 262 && string(start[257:]) == "ustar":
		return nil, errors.New("is a tar archive: unpack it first")
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		low := 0
		if start[0] == 0xfe {
			low = 1
		}
		_, _ = in.Discard(2)
		in = bufio.NewReaderSize(&fromUTF16{in: in, low: low}, bufferSize)
		_, _ = in.Peek(3)
	}
	if mark, _ := in.Peek(3); string(mark) == "\xef\xbb\xbf" {
		_, _ = in.Discard(3)
	}
	return in, nil
}

// stoppable is a file until reading is to stop.
type stoppable struct {
	from io.Reader
	stop func() bool
}

func (s *stoppable) Read(p []byte) (int, error) {
	if s.stop() {
		return 0, errors.New("stopped")
	}
	return s.from.Read(p)
}

// unpacked reads decompressed text up to the limit.
type unpacked struct {
	from io.Reader
	size int64
}

// Read is a method of io.Reader.
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	if u.size += int64(n); u.size > limit {
		return 0, fmt.Errorf("decompress: it holds more than %d GiB: unpack it first", limit>>30)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("decompress: %w", err)
	}
	return n, err
}

// fromUTF16 reads UTF-16 as UTF-8. Half a character at the end is dropped.
type fromUTF16 struct {
	in   *bufio.Reader
	low  int // which byte of two is the low one
	rest []byte
}

// Read is a method of io.Reader.
func (u *fromUTF16) Read(p []byte) (int, error) {
	for len(u.rest) == 0 {
		r, err := u.unit()
		if err != nil {
			return 0, err
		}
		if utf16.IsSurrogate(r) {
			if next, err := u.in.Peek(2); err == nil {
				if pair := utf16.DecodeRune(r, rune(next[u.low])|rune(next[1-u.low])<<8); pair != utf8.RuneError {
					_, _ = u.in.Discard(2)
					r = pair
				}
			}
		}
		u.rest = utf8.AppendRune(u.rest, r) // half of a pair becomes U+FFFD
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

func (u *fromUTF16) unit() (rune, error) {
	two, err := u.in.Peek(2)
	if err != nil {
		return 0, err
	}
	r := rune(two[u.low]) | rune(two[1-u.low])<<8
	_, _ = u.in.Discard(2)
	return r, nil
}
