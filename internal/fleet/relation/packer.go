// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// packer keeps decoded JSON in few bytes: an object with ten conditions takes about a tenth of the memory of its maps. What comes up again
// in another object (the names of the fields of a map, kinds, reasons; with all also any other text, map and list) is a piece, which is
// kept once and written as its number. Times are written as seconds, uids and digests in binary. Only the packer that packed a value can
// unpack it. It may be used by many goroutines.
type packer struct {
	mu      sync.RWMutex
	all     bool // of objects that do not change; an older version of one would make pieces of all that the next has, too
	seed    maphash.Seed
	count   uint32            // of the value that is being packed
	seen    []uint64          // what came up once, each at a place by its hash, until another one takes that: half of the hash, and count
	numbers map[uint64]uint64 // of pieces, by their hashes
	pieces  []string          // packed
	names   []string          // for one packing
	out     []byte            // the same
}

// A packed value of so many bytes may be a piece. Of objects that change, pieces are at most longestPiece long and mostPieces many, as none
// is ever dropped; everything else is written out.
const (
	leastPiece   = 5
	longestPiece = 1 << 10
	mostPieces   = 1 << 16
)

// The tags of values.
const (
	tagNil = iota
	tagFalse
	tagTrue
	tagInt
	tagFloat
	tagText   // length and bytes
	tagTime   // seconds, of RFC 3339 with Z and without fractions
	tagUUID   // 16 bytes
	tagDigest // what is before 64 digits in hexadecimal, with its length, and 32 bytes
	tagList   // length and values
	tagMap    // tagNames, and values in the order of the names
	tagNames  // length, and each with its length
	tagPiece  // number
)

// common are the fields whose values come up often.
var common = map[string]bool{"apiVersion": true, "kind": true, "namespace": true, "type": true, "status": true, "reason": true,
	"severity": true, "phase": true, "version": true}

func newPacker(all bool) *packer {
	places := 1 << 12
	if all {
		places = 1 << 18
	}
	return &packer{all: all, seed: maphash.MakeSeed(), seen: make([]uint64, places), numbers: map[uint64]uint64{}}
}

// intern returns an equal string that others share.
func (p *packer) intern(s string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = p.share(appendText(p.out[:0], s), 0, true)
	r := unpacker{string(p.out), p.pieces}
	text, _ := r.value().(string)
	return text
}

// pack returns a value packed; false where it is not the result of a JSON decoder, with int64 for whole numbers.
func (p *packer) pack(value any) (packed string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names = p.names[:0]
	p.count++
	p.out, ok = p.add(p.out[:0], value)
	return string(p.out), ok
}

// share puts the number of a piece in place of what was written from a place on, if that came up before and may be a piece.
func (p *packer) share(out []byte, from int, often bool) []byte {
	if size := len(out) - from; size < leastPiece || out[from] == tagTime || !p.all && (!often || size > longestPiece) {
		return out
	}
	hash := maphash.Bytes(p.seed, out[from:])
	n, known := p.numbers[hash]
	if !known {
		place, half := &p.seen[hash%uint64(len(p.seen))], hash>>32
		switch {
		case *place>>32 != half:
			*place = half<<32 | uint64(p.count)
			return out
		case uint32(*place) == p.count, !p.all && len(p.pieces) >= mostPieces:
			return out
		}
		n = uint64(len(p.pieces))
		p.pieces, p.numbers[hash] = append(p.pieces, string(out[from:])), n
	}
	if p.pieces[n] != string(out[from:]) {
		return out // with the same hash
	}
	return binary.AppendUvarint(append(out[:from], tagPiece), n)
}

// add appends a value.
func (p *packer) add(out []byte, value any) ([]byte, bool) {
	switch v := value.(type) {
	case nil:
		return append(out, tagNil), true
	case bool:
		if v {
			return append(out, tagTrue), true
		}
		return append(out, tagFalse), true
	case int64:
		return binary.AppendVarint(append(out, tagInt), v), true
	case float64:
		return binary.BigEndian.AppendUint64(append(out, tagFloat), math.Float64bits(v)), true
	case string:
		return appendString(out, v), true
	case []any:
		out = binary.AppendUvarint(append(out, tagList), uint64(len(v)))
		ok := v != nil
		for i := 0; i < len(v) && ok; i++ {
			from := len(out)
			out, ok = p.add(out, v[i])
			out = p.share(out, from, false)
		}
		return out, ok
	case map[string]any:
		first := len(p.names)
		for name := range v {
			p.names = append(p.names, name)
		}
		names := p.names[first:]
		slices.Sort(names)
		out = append(out, tagMap)
		from := len(out)
		out = binary.AppendUvarint(append(out, tagNames), uint64(len(names)))
		for _, name := range names {
			out = append(binary.AppendUvarint(out, uint64(len(name))), name...)
		}
		out = p.share(out, from, true)
		ok := v != nil
		for i := 0; i < len(names) && ok; i++ {
			from := len(out)
			out, ok = p.add(out, v[names[i]])
			out = p.share(out, from, common[names[i]])
		}
		p.names = p.names[:first]
		return out, ok
	}
	return out, false
}

func appendString(out []byte, s string) []byte {
	if len(s) == len("2006-01-02T15:04:05Z") && s[len(s)-1] == 'Z' {
		if t, err := time.Parse(time.RFC3339, s); err == nil && t.Format(time.RFC3339) == s {
			return binary.AppendVarint(append(out, tagTime), t.Unix())
		}
	}
	if id, ok := uuid(s); ok {
		return append(append(out, tagUUID), id...)
	}
	if at := len(s) - 64; at >= 0 {
		if sum, ok := digits(s[at:]); ok {
			return append(append(binary.AppendUvarint(append(out, tagDigest), uint64(at)), s[:at]...), sum...)
		}
	}
	return appendText(out, s)
}

func appendText(out []byte, s string) []byte {
	return append(binary.AppendUvarint(append(out, tagText), uint64(len(s))), s...)
}

// uuid reads xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx in lower case.
func uuid(s string) (id []byte, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return nil, false
	}
	return digits(s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:])
}

// digits reads pairs of digits in hexadecimal, in lower case.
func digits(s string) ([]byte, bool) {
	if strings.Trim(s, "0123456789abcdef") != "" {
		return nil, false
	}
	out, err := hex.DecodeString(s)
	return out, err == nil
}

// unpack reads the wanted fields of what pack has written, also those of maps in a list; of a map of many fields that costs less than to
// read it whole.
func (p *packer) unpack(data string, wanted tree) any {
	p.mu.RLock()
	pieces := p.pieces
	p.mu.RUnlock()
	r := unpacker{data, pieces}
	return r.part(wanted)
}

type unpacker struct {
	data   string
	pieces []string
}

func (r *unpacker) number() (n uint64) {
	for shift := 0; ; shift += 7 {
		b := r.data[0]
		r.data = r.data[1:]
		if n |= uint64(b&0x7f) << shift; b < 0x80 {
			return n
		}
	}
}

func (r *unpacker) signed() int64 {
	n := r.number()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *unpacker) take(n int) string {
	out := r.data[:n]
	r.data = r.data[n:]
	return out
}

// names returns what reads the names of the fields of a map, each with its length before it, and how many they are.
func (r *unpacker) names() (names unpacker, n uint64) {
	if r.take(1)[0] == tagPiece {
		names.data = r.pieces[r.number()][1:]
		return names, names.number()
	}
	n = r.number()
	names.data = r.data
	for range n {
		r.text()
	}
	return names, n
}

func (r *unpacker) text() string { return r.take(int(r.number())) }

// part is value of the wanted fields alone.
func (r *unpacker) part(wanted tree) any {
	switch tag := r.data[0]; {
	case len(wanted) == 0:
	case tag == tagPiece:
		r.take(1)
		piece := unpacker{r.pieces[r.number()], r.pieces}
		return piece.part(wanted)
	case tag == tagMap:
		r.take(1)
		out := map[string]any{}
		names, n := r.names()
		for range n {
			name := names.text()
			if below, ok := wanted[name]; ok {
				out[name] = r.part(below)
			} else {
				r.skip()
			}
		}
		return out
	case tag == tagList:
		r.take(1)
		out := make([]any, r.number())
		for i := range out {
			out[i] = r.part(wanted)
		}
		return out
	}
	return r.value()
}

// skip goes on behind a value.
func (r *unpacker) skip() {
	n := uint64(0) // how many values follow
	switch tag := r.take(1)[0]; tag {
	case tagInt, tagTime, tagPiece:
		r.number()
	case tagFloat:
		r.take(8)
	case tagText:
		r.text()
	case tagUUID:
		r.take(16)
	case tagDigest:
		r.text()
		r.take(32)
	case tagList:
		n = r.number()
	case tagMap:
		_, n = r.names()
	}
	for range n {
		r.skip()
	}
}

func (r *unpacker) value() any {
	switch tag := r.take(1)[0]; tag {
	case tagFalse:
		return false
	case tagTrue:
		return true
	case tagInt:
		return r.signed()
	case tagFloat:
		return math.Float64frombits(binary.BigEndian.Uint64([]byte(r.take(8))))
	case tagText:
		return strings.Clone(r.text()) // or it would keep an object that has been replaced
	case tagTime:
		return time.Unix(r.signed(), 0).UTC().Format(time.RFC3339)
	case tagUUID:
		h := hex.EncodeToString([]byte(r.take(16)))
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	case tagDigest:
		return r.text() + hex.EncodeToString([]byte(r.take(32)))
	case tagList:
		out := make([]any, r.number())
		for i := range out {
			out[i] = r.value()
		}
		return out
	case tagMap:
		names, n := r.names()
		out := make(map[string]any, n)
		for range n {
			name := names.text()
			out[name] = r.value()
		}
		return out
	case tagPiece:
		piece := unpacker{r.pieces[r.number()], r.pieces}
		if piece.data[0] == tagText {
			piece.take(1)
			return piece.text()
		}
		return piece.value()
	}
	return nil
}
