// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzPack: what was packed comes back, whatever a JSON decoder may give.
func FuzzPack(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,-2.5,null,true,false,"x",{"b":[]}],"status":"True"}`,
		`{"t":"2026-01-02T03:04:05Z","u":"1f9e8d7c-0000-4000-8000-00000000000a"}`,
		`{"t":"2026-01-02T03:04:05z","t2":"2026-13-02T03:04:05Z","t3":"0000-01-01T00:00:00Z","u":"1F9E8D7C-0000-4000-8000-00000000000A","u2":"1f9e8d7c-0000-4000-8000-00000000000g"}`,
		`{"kind":"\ud800","":"","1":9007199254740993}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var value map[string]any
		if json.Unmarshal(data, &value) != nil || value == nil {
			return
		}
		value["whole"] = int64(len(data))
		p := &packer{numbers: map[string]uint64{}}
		packed, ok := p.pack(nil, value, "")
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
	})
}

func TestUnpack_part(t *testing.T) {
	p := &packer{numbers: map[string]uint64{}}
	packed, _ := p.pack(nil, map[string]any{"spec": map[string]any{"ports": []any{map[string]any{"name": "http", "number": int64(80)}, "x"}, "other": nil},
		"status": map[string]any{"ready": true}}, "")
	want := any(map[string]any{"spec": map[string]any{"ports": []any{map[string]any{"name": "http"}, "x"}}})
	if diff := cmp.Diff(want, p.unpack(packed, tree{"spec": {"ports": {"name": nil}}, "none": nil})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestPack_notJSON(t *testing.T) {
	for _, value := range []any{int32(1), []string{"a"}, map[string]any{"a": []any{struct{}{}}}, map[string]any(nil), []any(nil)} {
		if _, ok := (&packer{numbers: map[string]uint64{}}).pack(nil, value, ""); ok {
			t.Errorf("%T is packed", value)
		}
	}
}

func TestPacker_isBounded(t *testing.T) {
	p := &packer{numbers: map[string]uint64{}}
	for i := range mostWords + 10 {
		p.word(fmt.Sprint(i))
	}
	if len(p.words) != mostWords {
		t.Errorf("%d words are kept", len(p.words))
	}
	value := map[string]any{"a key beyond": "the bound"}
	packed, _ := p.pack(nil, value, "")
	if diff := cmp.Diff(any(value), p.unpack(packed, nil)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
