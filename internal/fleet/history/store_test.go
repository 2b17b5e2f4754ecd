// SPDX-License-Identifier: Apache-2.0

package history

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// clock is one that only a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func pod(name string) relation.ID {
	return relation.ID{GroupKind: schema.GroupKind{Kind: "Pod"}, Namespace: "shop", Name: name}
}

func change(at time.Time, name, was, is string) Record {
	return Record{At: at, Kind: Verdict, Object: pod(name), Was: was, Is: is, Reason: "Because", Message: "m", Since: at.Truncate(time.Second)}
}

func all(s *Store) []Record {
	var out []Record
	s.Scan(func(r Record) bool { out = append(out, r); return true })
	return out
}

// changes are the records of a store without those about runs.
func changes(s *Store) []Record {
	return slices.DeleteFunc(all(s), func(r Record) bool { return r.Kind == Run || r.Kind == Alive })
}

func TestStoreKeeps(t *testing.T) {
	c := &clock{now: noon}
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := Open(dir, Options{Now: c.Now})
	want := []Record{change(noon, "a", "", "Current"), change(noon.Add(time.Second), "a", "Current", "Failed"),
		{At: noon.Add(2 * time.Second), Kind: Condition, Object: pod("a"), Type: "Ready", Was: "True", Is: "False", Reason: "R", Message: "long"}}
	s.Append(want...)
	if diff := cmp.Diff(want, changes(s)); diff != "" {
		t.Errorf("while it is open (-want +got):\n%s", diff)
	}
	s.Close()
	c.add(time.Hour)
	again := Open(dir, Options{Now: c.Now})
	defer again.Close()
	if diff := cmp.Diff(want, changes(again)); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}
	if stats := again.Stats(); !stats.OnDisk || stats.Problem != "" || !stats.Since.Equal(noon) {
		t.Errorf("stats are %+v", stats)
	}
	reader := Open(dir, Options{Now: c.Now, ReadOnly: true})
	again.Append(change(noon.Add(time.Hour), "b", "", "Failed"))
	if got := changes(reader); len(got) != 4 {
		t.Errorf("a reader beside a writer has %d changes, want 4", len(got))
	}
}

// A segment that is cut at any byte, or changed, keeps every record before that place, and the segments after it.
func TestTorn(t *testing.T) {
	e := newEncoder()
	data := []byte(magic)
	var ends []int
	for i, name := range []string{"a", "b", "a", "c"} {
		data = append(data, e.encode(change(noon.Add(time.Duration(i)*time.Second), name, "Current", "Failed"))...)
		ends = append(ends, len(data))
	}
	for cut := range data {
		want := 0
		for _, end := range ends {
			if end <= cut {
				want++
			}
		}
		got := 0
		if _, err := decode(data[:cut], func(Record) bool { got++; return true }); got != want {
			t.Fatalf("cut at %d: %d records (%v), want %d", cut, got, err, want)
		}
		changed := slices.Clone(data)
		changed[cut] ^= 0x40
		got = 0
		_, err := decode(changed, func(Record) bool { got++; return true })
		if got != want || err == nil {
			t.Fatalf("changed at %d: %d records (%v), want %d and an error", cut, got, err, want)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "0000000000000000001-1.segment"), data[:ends[1]+3], 0o600); err != nil {
		t.Fatal(err)
	}
	s := Open(dir, Options{Now: (&clock{now: noon}).Now})
	defer s.Close()
	s.Append(change(noon.Add(time.Minute), "d", "", "Failed"))
	if got := changes(s); len(got) != 3 || got[2].Object.Name != "d" {
		t.Errorf("with a torn segment before it: %v", got)
	}
}

func TestLimits(t *testing.T) {
	for name, dir := range map[string]string{"disk": t.TempDir(), "memory": ""} {
		t.Run(name, func(t *testing.T) {
			c := &clock{now: noon}
			s := Open(dir, Options{Now: c.Now, MaxBytes: 64 << 10, MaxAge: 48 * time.Hour})
			for i := range 20_000 {
				c.add(time.Second)
				s.Append(change(c.Now(), "pod-"+strings.Repeat("x", i%7), "Current", "Failed"))
				if stats := s.Stats; i%1000 == 0 && stats().Bytes > 72<<10 {
					t.Fatalf("%d bytes after %d records, want at most the limit and one segment", stats().Bytes, i)
				}
			}
			got := changes(s)
			if len(got) == 0 || len(got) == 20_000 || !got[len(got)-1].At.Equal(c.Now()) {
				t.Errorf("%d changes are left", len(got))
			}
			c.add(72 * time.Hour)
			s.Append(change(c.Now(), "late", "", "Failed"))
			s.Append(change(c.Now(), "later", "", "Failed"))
			if got := changes(s); len(got) > 2 {
				t.Errorf("%d changes are left after the age limit", len(got))
			}
			s.Close()
		})
	}
}

// Nothing that the disk does is a reason to fail: records are kept in memory, and later on disk again.
func TestDiskFails(t *testing.T) {
	c, dir := &clock{now: noon}, t.TempDir()
	full := false
	s := Open(dir, Options{Now: c.Now, write: func(f *os.File, data []byte) (int, error) {
		if full {
			n, _ := f.Write(data[:len(data)/2])
			return n, errors.New("no space left on device")
		}
		return f.Write(data)
	}})
	defer s.Close()
	s.Append(change(noon, "before", "", "Failed"))
	full = true
	s.Append(change(noon, "during", "", "Failed"))
	if stats := s.Stats(); stats.OnDisk || !strings.Contains(stats.Problem, "no space left") {
		t.Errorf("stats are %+v", stats)
	}
	full = false
	c.add(2 * time.Minute)
	s.Append(change(noon, "after", "", "Failed"))
	if stats := s.Stats(); !stats.OnDisk || stats.Problem != "" {
		t.Errorf("stats are %+v, want it on disk again", stats)
	}
	var names []string
	for _, r := range changes(s) {
		names = append(names, r.Object.Name)
	}
	if diff := cmp.Diff([]string{"before", "during", "after"}, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	in := Open(filepath.Join(file, "sub"), Options{Now: c.Now})
	in.Append(change(noon, "a", "", "Failed"))
	if stats := in.Stats(); stats.OnDisk || stats.Problem == "" || len(changes(in)) != 1 {
		t.Errorf("a folder that cannot be made: %+v, %d changes", stats, len(changes(in)))
	}
}

func TestText(t *testing.T) {
	tests := map[string]string{
		"password=hunter2hunter2 failed":               "password=[redacted] failed",
		"pull https://bob:s3cr3tpw@registry.example/x": "pull https://bob:[redacted]@registry.example/x",
		"Authorization: Bearer abcdefghijk":            "Authorization: Bearer [redacted]",
		"the token expired yesterday":                  "the token expired yesterday",
		"2 of 3 replicas available":                    "2 of 3 replicas available",
	}
	for in, want := range tests {
		if got := Text(in); got != want {
			t.Errorf("%q is kept as %q, want %q", in, got, want)
		}
	}
	if got := Text(strings.Repeat("ä", 400)); len(got) > maxText || !strings.HasSuffix(got, "…") {
		t.Errorf("a long text is kept as %d bytes", len(got))
	}
}

func TestConcurrent(t *testing.T) {
	s := Open(t.TempDir(), Options{MaxBytes: 32 << 10})
	defer s.Close()
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for j := range 300 {
				s.Append(change(noon.Add(time.Duration(j)*time.Second), string(rune('a'+i)), "Current", "Failed"))
				if j%50 == 0 {
					all(s)
					s.Sync()
					s.Stats()
				}
			}
		})
	}
	wait.Wait()
}

// FuzzDecode: no bytes panic, take more memory than they have, or yield a record that does not survive being written again.
func FuzzDecode(f *testing.F) {
	e := newEncoder()
	data := []byte(magic)
	data = append(data, e.encode(Record{At: noon, Kind: Run})...)
	data = append(data, e.encode(change(noon, "a", "Current", "Failed"))...)
	f.Add(data)
	f.Add(data[:len(data)-3])
	f.Add([]byte(magic + "\x01\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var records []Record
		whole, err := decode(data, func(r Record) bool { records = append(records, r); return len(records) < 1000 })
		if whole > len(data) || err == nil && len(records) < 1000 && whole != len(data) {
			t.Fatalf("%d of %d bytes are whole, error %v", whole, len(data), err)
		}
		e, out := newEncoder(), []byte(magic)
		for _, r := range records {
			out = append(out, e.encode(r)...)
		}
		var again []Record
		if _, err := decode(out, func(r Record) bool { again = append(again, r); return true }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(records, again); diff != "" {
			t.Errorf("written again (-first +again):\n%s", diff)
		}
	})
}
