// SPDX-License-Identifier: Apache-2.0

package history

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// The default limits, and those without a folder.
const (
	DefaultBytes = 64 << 20
	DefaultAge   = 7 * 24 * time.Hour
	memoryBytes  = 8 << 20
)

// Options of [Open]; the zero value is fine.
type Options struct {
	MaxBytes int64         // of all segments; 0: DefaultBytes
	MaxAge   time.Duration // of a segment's last record; 0: DefaultAge
	Now      func() time.Time
	// ReadOnly opens what others write: nothing is created or deleted.
	ReadOnly bool
	// write replaces the writing of a file, in tests.
	write func(f *os.File, data []byte) (int, error)
}

// Stats describe a store.
type Stats struct {
	Since           time.Time // of the oldest record; zero: there is none
	Records         int       // of this run
	Bytes, MaxBytes int64
	OnDisk          bool
	Problem         string // why it is not, or what of it could not be read
}

// Store is a history. It may be used by many goroutines.
type Store struct {
	dir     string
	options Options

	mu      sync.Mutex
	old     []segment // of others and of earlier, the oldest first
	file    *os.File  // that is written; nil in memory
	name    string    // of file
	memory  []byte    // the segment that is written, where there is no file
	encoder *encoder
	size    int64 // of the segment that is written
	began   time.Time
	last    time.Time // when it was appended to
	pruned  time.Time
	records int
	problem string
	retry   time.Time // when to try the folder again
	dirty   bool      // not synced
}

// segment is one that nothing is added to by this store.
type segment struct {
	path   string // empty: in memory
	data   []byte
	size   int64
	latest time.Time
}

// Open opens the history of a folder, which is created; an empty one is in memory. It never fails: see Stats.
func Open(dir string, o Options) *Store {
	o.MaxBytes, o.MaxAge = cmp.Or(o.MaxBytes, DefaultBytes), cmp.Or(o.MaxAge, DefaultAge)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.write == nil {
		o.write = (*os.File).Write
	}
	s := &Store{dir: dir, options: o}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	if !o.ReadOnly {
		s.rotate()
		s.append(Record{At: o.Now(), Kind: Run})
	}
	return s
}

// suffix is that of the files of segments.
const suffix = ".segment"

// load finds the segments of the folder.
func (s *Store) load() {
	if s.dir == "" {
		return
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.problem = err.Error()
	}
	known := map[string]bool{s.name: true}
	for _, old := range s.old {
		known[filepath.Base(old.path)] = true
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !strings.HasSuffix(entry.Name(), suffix) || !info.Mode().IsRegular() || known[entry.Name()] {
			continue
		}
		s.old = append(s.old, segment{path: filepath.Join(s.dir, entry.Name()), size: info.Size(), latest: info.ModTime()})
	}
	// names begin with the time
	slices.SortStableFunc(s.old, func(a, b segment) int { return cmp.Compare(filepath.Base(a.path), filepath.Base(b.path)) })
}

// limit returns the bytes that may be used now.
func (s *Store) limit() int64 {
	if s.file == nil {
		return min(s.options.MaxBytes, memoryBytes)
	}
	return s.options.MaxBytes
}

// rotate ends the segment that is written, and begins the next.
func (s *Store) rotate() {
	now := s.options.Now()
	switch {
	case s.file != nil:
		_ = s.file.Close() // what was not written is reported by the write
		s.old = append(s.old, segment{path: filepath.Join(s.dir, s.name), size: s.size, latest: s.last})
	case len(s.memory) > len(magic):
		s.old = append(s.old, segment{data: s.memory, size: int64(len(s.memory)), latest: s.last})
	}
	s.file, s.name, s.memory, s.encoder, s.size, s.began = nil, "", nil, newEncoder(), int64(len(magic)), now
	if s.dir != "" {
		if err := s.create(now); err != nil {
			s.problem, s.retry = err.Error(), now.Add(time.Minute)
		} else {
			s.problem = ""
		}
	}
	if s.file == nil {
		s.memory = []byte(magic)
	}
	s.prune(now)
}

// create makes the file of a new segment.
func (s *Store) create(now time.Time) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	name := fmt.Sprintf("%019d-%d%s", now.UnixNano(), os.Getpid(), suffix)
	f, err := os.OpenFile(filepath.Join(s.dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if n, err := s.options.write(f, []byte(magic)); err != nil || n < len(magic) {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return cmp.Or(err, errors.New("short write"))
	}
	s.file, s.name = f, name
	return nil
}

// prune deletes segments that are too old or too many.
func (s *Store) prune(now time.Time) {
	s.pruned = now
	total := s.size
	for _, old := range s.old {
		total += old.size
	}
	s.old = slices.DeleteFunc(s.old, func(old segment) bool {
		if total <= s.limit() && now.Sub(old.latest) <= s.options.MaxAge {
			return false
		}
		if old.path != "" {
			if err := os.Remove(old.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.problem = err.Error()
				return false
			}
		}
		total -= old.size
		return true
	})
}

// Append adds records.
func (s *Store) Append(records ...Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.ReadOnly {
		return
	}
	for _, r := range records {
		s.append(r)
	}
}

func (s *Store) append(r Record) {
	now := s.options.Now()
	if r.At.IsZero() {
		r.At = now
	}
	r.Message = Text(r.Message)
	retries := s.file == nil && s.dir != "" && !now.Before(s.retry)
	if most := max(s.limit()/8, 4<<10); s.size > most || retries || len(s.encoder.table) >= maxTable || now.Sub(s.began) > 24*time.Hour {
		s.rotate()
	} else if now.Sub(s.pruned) > time.Hour {
		s.prune(now)
	}
	s.last = now
	data := s.encoder.encode(r)
	if s.file == nil {
		s.memory = append(s.memory, data...)
	} else if n, err := s.options.write(s.file, data); err != nil || n < len(data) {
		s.leave(now, cmp.Or(err, errors.New("short write")))
		data = s.encoder.encode(r)
		s.memory = append(s.memory, data...)
	}
	s.size += int64(len(data))
	s.records++
	s.dirty = true
}

// leave goes on in memory: the file may have a torn record at its end now, behind which nothing would be read.
func (s *Store) leave(now time.Time, err error) {
	_ = s.file.Close()
	s.old = append(s.old, segment{path: filepath.Join(s.dir, s.name), size: s.size, latest: now})
	s.file, s.name, s.memory, s.encoder, s.size, s.began = nil, "", []byte(magic), newEncoder(), int64(len(magic)), now
	s.problem, s.retry = err.Error(), now.Add(time.Minute)
}

// Sync makes what was appended last; call it about once a second.
func (s *Store) Sync() {
	s.mu.Lock()
	f, dirty := s.file, s.dirty
	s.dirty = false
	s.mu.Unlock()
	if f != nil && dirty {
		_ = f.Sync() // of a file that is closed by now, or of a file system that cannot
	}
}

// Scan calls each for all records, segment by segment, the oldest first, until it returns false. Records that are appended meanwhile may be
// left out.
func (s *Store) Scan(each func(Record) bool) {
	s.mu.Lock()
	if s.options.ReadOnly {
		s.load()
	}
	segments := slices.Clone(s.old)
	if s.file != nil {
		segments = append(segments, segment{path: filepath.Join(s.dir, s.name)})
	} else if len(s.memory) > 0 {
		segments = append(segments, segment{data: slices.Clone(s.memory)})
	}
	s.mu.Unlock()
	more := true
	for _, one := range segments {
		data := one.data
		if one.path != "" {
			var err error
			if data, err = readFile(one.path); err != nil {
				continue // deleted meanwhile
			}
		}
		_, _ = decode(data, func(r Record) bool { // the rest of a torn segment is lost, which is a gap
			more = each(r)
			return more
		})
		if !more {
			return
		}
	}
}

// maxSegment is how much of a file is read: a writer makes none that is larger.
const maxSegment = 256 << 20

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSegment {
		return nil, fmt.Errorf("%s: too large", path)
	}
	return os.ReadFile(path)
}

// Stats describes the store.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	out := Stats{Records: s.records, Bytes: s.size, MaxBytes: s.limit(), OnDisk: s.file != nil, Problem: s.problem}
	for _, old := range s.old {
		out.Bytes += old.size
	}
	s.mu.Unlock()
	s.Scan(func(r Record) bool {
		out.Since = r.At
		return false
	})
	return out
}

// Close writes what is left and closes the file.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		_ = s.file.Sync()
		_ = s.file.Close()
		s.old = append(s.old, segment{path: filepath.Join(s.dir, s.name), size: s.size, latest: s.options.Now()})
		s.file, s.name = nil, ""
	}
	s.options.ReadOnly = true
}
