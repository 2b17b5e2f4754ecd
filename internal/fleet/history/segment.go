// SPDX-License-Identifier: Apache-2.0

package history

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// magic begins each segment.
const magic = "tristate-history-1\n"

// The limits of what a reader accepts; a writer stays below them.
const (
	maxRecord = 16 << 10
	maxString = 1 << 10
	maxTable  = 1 << 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encoder writes the records of one segment.
type encoder struct {
	table map[string]uint64
	last  int64 // milliseconds of the last record
	buf   []byte
}

func newEncoder() *encoder { return &encoder{table: map[string]uint64{}} }

// encode returns a record as the segment has it; the result is valid until the next call.
//
//	length | crc of the body | body: kind, source, milliseconds since the record before, fields
func (e *encoder) encode(r Record) []byte {
	body := make([]byte, 0, 128)
	body = append(body, byte(r.Kind), byte(r.Source))
	now := r.At.UnixMilli()
	body = binary.AppendVarint(body, now-e.last)
	e.last = now
	since := int64(0)
	if !r.Since.IsZero() {
		since = r.Since.Unix()
	}
	body = binary.AppendVarint(body, since)
	for _, s := range []string{r.Object.Group, r.Object.Kind, r.Object.Namespace, r.Object.Name, r.Type, r.Was, r.Is, r.Reason, r.Message} {
		body = e.text(body, s)
	}
	e.buf = binary.AppendUvarint(e.buf[:0], uint64(len(body)))
	e.buf = binary.LittleEndian.AppendUint32(e.buf, crc32.Checksum(body, castagnoli))
	e.buf = append(e.buf, body...)
	return e.buf
}

// text appends a string: the number that it has in the table, or 0 and the string itself, which gets the next number.
func (e *encoder) text(body []byte, s string) []byte {
	if len(s) > maxString {
		s = strings.ToValidUTF8(s[:maxString], "")
	}
	if n, known := e.table[s]; known {
		return binary.AppendUvarint(body, n)
	}
	body = binary.AppendUvarint(body, 0)
	body = binary.AppendUvarint(body, uint64(len(s)))
	body = append(body, s...)
	if len(e.table) < maxTable {
		e.table[strings.Clone(s)] = uint64(len(e.table) + 1)
	}
	return body
}

// errTorn is that of a segment whose rest cannot be read: it is cut, or changed.
var errTorn = errors.New("the rest of the segment cannot be read")

// decode calls each for the records of a segment until it returns false, and returns how many bytes of the segment are whole. The error is
// errTorn where something follows that is no record.
func decode(data []byte, each func(Record) bool) (whole int, err error) {
	if !bytes.HasPrefix(data, []byte(magic)) {
		return 0, errTorn
	}
	whole = len(magic)
	var table []string
	last := int64(0)
	for rest := data[whole:]; len(rest) > 0; rest = data[whole:] {
		size, n := binary.Uvarint(rest)
		if n <= 0 || size == 0 || size > maxRecord || uint64(len(rest)) < uint64(n)+4+size {
			return whole, errTorn
		}
		body := rest[n+4 : uint64(n)+4+size]
		if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(rest[n:]) {
			return whole, errTorn
		}
		d := decoder{data: body, table: table}
		r := d.record(&last)
		if d.failed {
			return whole, errTorn
		}
		table = d.table
		whole += n + 4 + int(size)
		if !each(r) {
			return whole, nil
		}
	}
	return whole, nil
}

// decoder reads the body of one record.
type decoder struct {
	data   []byte
	table  []string
	failed bool
}

func (d *decoder) record(last *int64) Record {
	if len(d.data) < 2 {
		d.failed = true
		return Record{}
	}
	r := Record{Kind: Kind(d.data[0]), Source: Source(d.data[1])}
	d.data = d.data[2:]
	*last += d.signed()
	since := d.signed()
	r.At = time.UnixMilli(*last).UTC()
	if since != 0 {
		r.Since = time.Unix(since, 0).UTC()
	}
	group, kind := d.text(), d.text()
	r.Object = relation.ID{GroupKind: schema.GroupKind{Group: group, Kind: kind}, Namespace: d.text(), Name: d.text()}
	r.Type, r.Was, r.Is, r.Reason, r.Message = d.text(), d.text(), d.text(), d.text(), d.text()
	d.failed = d.failed || len(d.data) > 0
	return r
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.data)
	if n <= 0 {
		d.failed, d.data = true, nil
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.failed, d.data = true, nil
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *decoder) text() string {
	n := d.number()
	switch {
	case d.failed:
		return ""
	case n > uint64(len(d.table)):
		d.failed = true
		return ""
	case n > 0:
		return d.table[n-1]
	}
	size := d.number()
	if size > maxString || size > uint64(len(d.data)) {
		d.failed = true
		return ""
	}
	s := string(d.data[:size])
	d.data = d.data[size:]
	if len(d.table) < maxTable {
		d.table = append(d.table, s)
	}
	return s
}
