// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"sync"
	"time"
)

// packer keeps decoded JSON in few bytes: an object with ten conditions takes about a tenth of the memory of its maps. Words that come up
// often (names of fields, kinds, reasons) are kept once and written as numbers, times as seconds, uids as 16 bytes. Only the packer that
// packed a value can unpack it. It may be used by many goroutines.
type packer struct {
	mu      sync.RWMutex
	numbers map[string]uint64
	words   []string
}

// mostWords is how many words are kept; further ones are written out.
const mostWords = 1 << 16

// The tags of values.
const (
	tagNil = iota
	tagFalse
	tagTrue
	tagInt
	tagFloat
	tagText // length and bytes
	tagWord // number
	tagTime // seconds, of RFC 3339 with Z and without fractions
	tagUUID // 16 bytes
	tagList
	tagMap // each key as tagWord or tagText
)

// common are the fields whose values come up often.
var common = map[string]bool{"apiVersion": true, "kind": true, "namespace": true, "type": true, "status": true, "reason": true,
	"severity": true, "phase": true, "version": true}

// word returns the number of a string that comes up often; false if there is no more room.
func (p *packer) word(s string) (uint64, bool) {
	p.mu.RLock()
	n, known := p.numbers[s]
	p.mu.RUnlock()
	if known {
		return n, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n, known = p.numbers[s]; known {
		return n, true
	}
	if len(p.words) >= mostWords || len(s) > 128 {
		return 0, false
	}
	s = strings.Clone(s) // or it would keep the memory of its object
	n = uint64(len(p.words))
	p.words = append(p.words, s)
	p.numbers[s] = n
	return n, true
}

// intern returns an equal string that others share.
func (p *packer) intern(s string) string {
	n, ok := p.word(s)
	if !ok {
		return s
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.words[n]
}

// pack appends a value, which is that of a field; false where it is not the result of a JSON decoder, with int64 for whole numbers.
func (p *packer) pack(out []byte, value any, field string) ([]byte, bool) {
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
		return p.packString(out, v, common[field]), true
	case []any:
		if v == nil {
			return out, false
		}
		out = binary.AppendUvarint(append(out, tagList), uint64(len(v)))
		ok := true
		for _, item := range v {
			if out, ok = p.pack(out, item, ""); !ok {
				return out, false
			}
		}
		return out, true
	case map[string]any:
		if v == nil {
			return out, false
		}
		out = binary.AppendUvarint(append(out, tagMap), uint64(len(v)))
		ok := true
		for key, item := range v {
			if out, ok = p.pack(p.packString(out, key, true), item, key); !ok {
				return out, false
			}
		}
		return out, true
	}
	return out, false
}

func (p *packer) packString(out []byte, s string, often bool) []byte {
	if often {
		if n, ok := p.word(s); ok {
			return binary.AppendUvarint(append(out, tagWord), n)
		}
	}
	if len(s) == len("2006-01-02T15:04:05Z") && s[len(s)-1] == 'Z' {
		if t, err := time.Parse(time.RFC3339, s); err == nil && t.Format(time.RFC3339) == s {
			return binary.AppendVarint(append(out, tagTime), t.Unix())
		}
	}
	if id, ok := uuid(s); ok {
		return append(append(out, tagUUID), id[:]...)
	}
	return append(binary.AppendUvarint(append(out, tagText), uint64(len(s))), s...)
}

// uuid reads xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx in lower case.
func uuid(s string) (id [16]byte, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return id, false
	}
	plain := s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	if strings.ContainsAny(plain, "ABCDEF") {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(plain))
	return id, err == nil
}

// unpack reads the wanted fields of what pack has written, also those of maps in a list; of a map of many fields that costs less than to
// read it whole.
func (p *packer) unpack(data []byte, wanted tree) any {
	p.mu.RLock()
	words := p.words
	p.mu.RUnlock()
	r := unpacker{data, words}
	return r.part(wanted)
}

type unpacker struct {
	data  []byte
	words []string
}

func (r *unpacker) number() uint64 {
	n, size := binary.Uvarint(r.data)
	r.data = r.data[size:]
	return n
}

func (r *unpacker) signed() int64 {
	n, size := binary.Varint(r.data)
	r.data = r.data[size:]
	return n
}

func (r *unpacker) take(n int) []byte {
	out := r.data[:n]
	r.data = r.data[n:]
	return out
}

// part is value of the wanted fields alone.
func (r *unpacker) part(wanted tree) any {
	switch tag := r.data[0]; {
	case len(wanted) > 0 && tag == tagMap:
		r.take(1)
		out := map[string]any{}
		for range r.number() {
			key, _ := r.value().(string)
			if below, ok := wanted[key]; ok {
				out[key] = r.part(below)
			} else {
				r.skip()
			}
		}
		return out
	case len(wanted) > 0 && tag == tagList:
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
	switch tag := r.take(1)[0]; tag {
	case tagInt, tagTime:
		r.signed()
	case tagFloat:
		r.take(8)
	case tagText:
		r.take(int(r.number()))
	case tagWord:
		r.number()
	case tagUUID:
		r.take(16)
	case tagList, tagMap:
		n := r.number()
		if tag == tagMap {
			n *= 2 // keys and values
		}
		for range n {
			r.skip()
		}
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
		return math.Float64frombits(binary.BigEndian.Uint64(r.take(8)))
	case tagText:
		return string(r.take(int(r.number())))
	case tagWord:
		return r.words[r.number()]
	case tagTime:
		return time.Unix(r.signed(), 0).UTC().Format(time.RFC3339)
	case tagUUID:
		h := hex.EncodeToString(r.take(16))
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	case tagList:
		out := make([]any, r.number())
		for i := range out {
			out[i] = r.value()
		}
		return out
	case tagMap:
		n := r.number()
		out := make(map[string]any, n)
		for range n {
			key, _ := r.value().(string)
			out[key] = r.value()
		}
		return out
	}
	return nil
}
