// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzPack: what was packed comes back, whatever a JSON decoder may give.
func FuzzPack(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,-2.5,null,true,false,"x",{"b":[]}],"status":"True"}`,
		`{"t":"2026-01-02T03:04:05Z","u":"1f9e8d7c-0000-4000-8000-00000000000a"}`,
		`{"t":"2026-01-02T03:04:05z","t2":"2026-13-02T03:04:05Z","t3":"0000-01-01T00:00:00Z","u":"1F9E8D7C-0000-4000-8000-00000000000A","u2":"1f9e8d7c-0000-4000-8000-00000000000g"}`,
		`{"a":{"image":"registry.example/web:1","b":[1,"some text"]},"c":{"image":"registry.example/web:1","b":[1,"some text"]}}`,
		`{"d":"x@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","d2":"0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef"}`,
		`{"kind":"\ud800","":"","1":9007199254740993}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var value map[string]any
		if json.Unmarshal(data, &value) != nil || value == nil {
			return
		}
		value["whole"] = int64(len(data))
		for _, all := range []bool{false, true} {
			p := newPacker(all)
			for range 4 { // from the second time on with pieces, then with pieces of these
				packed, ok := p.pack(value)
				if !ok {
					t.Fatalf("%v is not packed", value)
				}
				if diff := cmp.Diff(any(value), p.unpack(packed, nil)); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
				for key := range value {
					want := any(map[string]any{key: value[key]})
					if diff := cmp.Diff(want, p.unpack(packed, tree{key: nil})); diff != "" {
						t.Errorf("%s alone: -want +got\n%s", key, diff)
					}
				}
			}
		}
	})
}

func TestUnpack_part(t *testing.T) {
	p := newPacker(true)
	value := map[string]any{"spec": map[string]any{"ports": []any{map[string]any{"name": "http", "number": int64(80)}, "x"}, "other": nil},
		"status": map[string]any{"ready": true}}
	want := any(map[string]any{"spec": map[string]any{"ports": []any{map[string]any{"name": "http"}, "x"}}})
	for range 4 {
		packed, _ := p.pack(value)
		if diff := cmp.Diff(want, p.unpack(packed, tree{"spec": {"ports": {"name": nil}}, "none": nil})); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

// TestPack_shared: what several objects have in common is kept once, and of objects that change only names of fields and common values.
func TestPack_shared(t *testing.T) {
	for all, pieces := range map[bool]bool{false: false, true: true} {
		p, size := newPacker(all), 0
		for i := range 10 {
			packed, _ := p.pack(map[string]any{"name": fmt.Sprint(i), "spec": map[string]any{"image": strings.Repeat("long ", 100)}})
			size = len(packed)
		}
		if got := size < 100; got != pieces {
			t.Errorf("all %t: %d bytes", all, size)
		}
	}
}

func TestPack_notJSON(t *testing.T) {
	for _, value := range []any{int32(1), []string{"a"}, map[string]any{"a": []any{struct{}{}}}, map[string]any(nil), []any(nil)} {
		if _, ok := newPacker(false).pack(value); ok {
			t.Errorf("%T is packed", value)
		}
	}
}

func TestPacker_isBounded(t *testing.T) {
	p := newPacker(false)
	for i := range mostPieces + 10 {
		for range 2 {
			if _, ok := p.pack(map[string]any{fmt.Sprintf("key %d", i): nil}); !ok {
				t.Fatal("it is not packed")
			}
		}
	}
	if len(p.pieces) != mostPieces {
		t.Errorf("%d pieces are kept", len(p.pieces))
	}
	value := map[string]any{"a key beyond": "the bound"}
	packed, _ := p.pack(value)
	if diff := cmp.Diff(any(value), p.unpack(packed, nil)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
