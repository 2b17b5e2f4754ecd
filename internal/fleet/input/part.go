// SPDX-License-Identifier: Apache-2.0

package input

import (
	"runtime"
	"slices"
	"sync"
)

// part is a piece of a file that is decoded alone. The parts of a list are its begin, its items and its end.
type part struct {
	form     form
	file     string
	line     int // of its start
	lenient  bool
	yaml     bool // the text is YAML
	text     []byte
	indent   int    // of an item in YAML: the columns before its dash
	lead     []byte // of a begin in YAML: the line of the key "items", and the comments after it
	array    bool   // of a begin: the document is the list itself, and has no fields
	err      error  // of a fault
	value    any    // of the text
	decoding error  // why there is none
}

// form is the kind of a part.
type form uint8

const (
	whole form = iota // a document
	begin             // the fields of a list before its items
	item              // an item of a list
	end               // the fields after the items, up to a fault
	fault             // an error
)

// batch is a number of parts that are decoded together.
type batch struct {
	parts   []part
	text    []byte
	decoded chan struct{}
}

// splitter cuts files into parts and sends them on in batches.
type splitter struct {
	name    string // of the file
	lenient bool
	stop    func() bool // see [Reader]
	batch   *batch
	chunk   []byte        // see unread
	fields  []byte        // of the JSON object that is being read; those before and those after its list of items
	size    int           // of the text of the last batch
	queue   chan<- *batch // in order
	work    chan<- *batch
}

func (s *splitter) send(p part) {
	if s.batch == nil {
		s.batch = &batch{text: make([]byte, 0, s.size), decoded: make(chan struct{})}
	}
	b := s.batch
	start := len(b.text)
	b.text = append(b.text, p.text...)
	p.text = b.text[start:len(b.text):len(b.text)]
	if p.file == "" {
		p.file, p.lenient = s.name, s.lenient
	}
	if b.parts = append(b.parts, p); len(b.text) >= bufferSize {
		s.flush()
	}
}

func (s *splitter) flush() {
	if s.batch != nil {
		s.size = len(s.batch.text) + len(s.batch.text)/8
		s.queue <- s.batch
		s.work <- s.batch
		s.batch = nil
	}
}

// run splits files in one goroutine, decodes the parts in others, and builds objects of them, in order, in the calling one.
func run(o Reader, found func(Object), split func(*splitter)) []*Error {
	stop := o.Stop
	if stop == nil {
		stop = func() bool { return false }
	}
	workers := runtime.GOMAXPROCS(0)
	queue, work := make(chan *batch, 2*workers), make(chan *batch)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			d := newDecoder(o.Skip)
			for b := range work {
				for i := range b.parts {
					if stop() {
						break // the parts are dropped
					}
					b.parts[i].decode(d)
				}
				close(b.decoded)
			}
		})
	}
	all.Go(func() {
		defer close(queue)
		defer close(work)
		s := &splitter{stop: stop, queue: queue, work: work}
		split(s)
		s.flush()
	})
	r := &reader{decoder: newDecoder(o.Skip), found: found}
	for b := range queue {
		<-b.decoded
		if stop() {
			continue // the others end at once, too
		}
		for _, p := range b.parts {
			r.part(p)
		}
	}
	all.Wait()
	return r.errors
}

// decode sets the value of a part.
func (p *part) decode(d *decoder) {
	switch {
	case p.form == fault || p.array:
	case !p.yaml:
		p.value, p.decoding = d.json(p.text)
	case p.form == item:
		text := slices.Clone(p.text)
		text[p.indent] = ' ' // in place of its dash
		p.value, p.decoding = d.yaml(text)
	default:
		p.value, p.decoding = d.yaml(p.text)
	}
}
