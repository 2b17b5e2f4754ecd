// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// limit is the largest size of a decompressed file, in bytes, as a small file may hold any amount of text.
const limit = 16 << 30

// bufferSize is the size of the buffers of text, in bytes.
const bufferSize = 64 << 10

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
	case slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(string(start), mark) }):
		in = bufio.NewReaderSize(transform.NewReader(in, unicode.BOMOverride(transform.Nop)), bufferSize)
	}
	return in, nil
}

// marks are the byte order marks of UTF-8 and UTF-16, by which text is decoded. Half a character becomes U+FFFD.
var marks = []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"}

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
