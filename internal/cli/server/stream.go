// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/fleet/api"
)

// The timing of streams: a beat at least every beatEvery, changes at most every pause, and the sign-in is checked again every recheck.
const (
	beatEvery = 5 * time.Second
	pause     = 500 * time.Millisecond
	recheck   = 30 * time.Second
	// mostStreams is how many there are at a time: each counts rows after changes.
	mostStreams = 200
	// mostOfOne is how many of them one reader of a cluster's sign-in may have.
	mostOfOne = 20
	// writing is how long a client may take to receive one message.
	writing = 20 * time.Second
)

// stream sends what changes within a filter.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, who Reader) {
	parameters := &request{query: r.URL.Query()}
	q := parameters.filter()
	if parameters.err != nil {
		fail(w, parameters.err)
		return
	}
	if !s.begin(who) {
		fail(w, &problem{http.StatusTooManyRequests, "TooMany", "too many streams are open"})
		return
	}
	defer s.end(who)
	fleet := s.Fleet.As(who.Rights)
	out := &events{w: w, control: http.NewResponseController(w), epoch: fleet.Epoch}
	seq, causes, _ := fleet.Seq()
	hello := api.Hello{Epoch: fleet.Epoch, Seq: seq, Now: fleet.Clock()}
	last := seq
	if epoch, text, _ := strings.Cut(r.Header.Get("Last-Event-ID"), "-"); epoch == fleet.Epoch {
		if old, err := strconv.ParseUint(text, 10, 64); err == nil && fleet.Knows(old) {
			hello.Seq, hello.Resumed, last = old, true, old
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	out.send("hello", hello.Seq, hello)
	beat := func() {
		seq, n, _ := fleet.Seq()
		causes = n
		out.send("beat", last, api.Beat{Epoch: fleet.Epoch, Seq: min(seq, last), Now: fleet.Clock(), Causes: n, Clusters: clusters(fleet),
			Ended: s.Mode == "files"})
	}
	beat()
	if r.Method == http.MethodHead {
		return
	}
	beats, rights := time.NewTicker(beatEvery), time.NewTicker(recheck)
	defer beats.Stop()
	defer rights.Stop()
	for out.err == nil {
		_, _, changed := s.Fleet.Seq() // of everything: only what the reader sees is sent
		if s.Fleet.As(who.Rights) != fleet {
			return // it was dropped, and the client connects again
		}
		now, n, _ := fleet.Seq()
		if now != last || n != causes {
			if d, ok := fleet.Delta(q, last); ok {
				last = d.Seq
				out.send("change", last, d)
			}
			if n != causes {
				beat()
			}
			if !sleep(r, pause) {
				return
			}
			continue
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
			if fleet != s.Fleet && !sleep(r, pause) { // most of it is about other objects
				return
			}
		case <-beats.C:
			beat()
		case <-rights.C:
			again, err := s.Auth.Reader(r)
			if err != nil || again.Rights.Key != who.Rights.Key {
				return // the client connects again and sees why
			}
			who = again
		}
	}
}

// begin counts a stream; false if there are too many.
func (s *Server) begin(who Reader) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= mostStreams || who.Rights.Key != "" && s.streams[who.Rights.Key] >= mostOfOne {
		return false
	}
	s.open++
	s.streams[who.Rights.Key]++
	return true
}

// end counts a stream that ended.
func (s *Server) end(who Reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.streams[who.Rights.Key]--; s.streams[who.Rights.Key] == 0 {
		delete(s.streams, who.Rights.Key)
	}
}

func sleep(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// events writes server-sent events.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
	epoch   string
	err     error
}

// send writes one message. JSON has no line breaks, so that it is one line of data.
func (e *events) send(name string, seq uint64, message any) {
	if e.err != nil {
		return
	}
	data, err := json.Marshal(message)
	if err != nil {
		e.err = err
		return
	}
	_ = e.control.SetWriteDeadline(time.Now().Add(writing)) // where the connection has one
	if _, e.err = fmt.Fprintf(e.w, "event: %s\nid: %s-%d\ndata: %s\n\n", name, e.epoch, seq, data); e.err == nil {
		e.err = e.control.Flush()
	}
}
