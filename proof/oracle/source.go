// SPDX-License-Identifier: Apache-2.0

package oracle

import "math/rand/v2"

// Source gives the choices of a case from bytes; behind the end every choice is the first one, so that a shorter string
// is a simpler case.
type Source struct {
	data []byte
	at   int
}

// NewSource reads choices from data.
func NewSource(data []byte) *Source { return &Source{data: data} }

// Byte is the next byte, or 0 at the end.
func (s *Source) Byte() byte {
	if s.at >= len(s.data) {
		return 0
	}
	b := s.data[s.at]
	s.at++
	return b
}

// N is a choice of n.
func (s *Source) N(n int) int { return int(s.Byte()) % n }

// Percent is true in p of 100 cases.
func (s *Source) Percent(p int) bool { return int(s.Byte()) > 255-(p*256+50)/100 }

// Pick is a choice out of a list.
func Pick[T any](s *Source, list ...T) T { return list[s.N(len(list))] }

// Random fills a buffer for one case.
func Random(r *rand.Rand, buf []byte) []byte {
	n := 8 + r.IntN(len(buf)-8)
	for i := 0; i < n; i += 8 {
		v := r.Uint64()
		for j := i; j < n && j < i+8; j++ {
			buf[j] = byte(v)
			v >>= 8
		}
	}
	return buf[:n]
}

// Shrink returns the smallest string found by leaving out and zeroing bytes for which bad holds.
func Shrink(data []byte, bad func([]byte) bool) []byte {
	data = append([]byte(nil), data...)
	for again := true; again; {
		again = false
		for size := len(data) / 2; size > 0; size /= 2 {
			for at := 0; at+size <= len(data); {
				shorter := append(append([]byte(nil), data[:at]...), data[at+size:]...)
				if bad(shorter) {
					data, again = shorter, true
				} else {
					at += size
				}
			}
		}
		for i, b := range data {
			if b == 0 {
				continue
			}
			data[i] = 0
			if bad(data) {
				again = true
			} else {
				data[i] = b
			}
		}
	}
	return data
}
