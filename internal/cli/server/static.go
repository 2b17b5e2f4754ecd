// SPDX-License-Identifier: Apache-2.0

package server

import (
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// none is the page where none is served.
const none = `<!doctype html><html lang="en"><meta charset="utf-8"><title>tristate</title><p>The page is off: serve --ui turns it on. The API is at /api/v1/.`

// static serves the files of the page. A path without a file is a place in the page, which its script reads.
func (s *Server) static(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("token") {
		s.enter(w, r)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" || !strings.Contains(path.Base(name), ".") {
		name = "index.html"
	}
	if s.Page == nil {
		if name != "index.html" {
			fail(w, notFound("there is no such file"))
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(none))
		return
	}
	data, encoding, err := s.file(name, r.Header.Get("Accept-Encoding"))
	if err != nil {
		fail(w, notFound("there is no such file"))
		return
	}
	h := w.Header()
	if h.Set("Content-Type", mime.TypeByExtension(path.Ext(name))); path.Ext(name) == ".js" {
		h.Set("Content-Type", "text/javascript; charset=utf-8")
	}
	h.Set("Vary", "Accept-Encoding")
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
	}
	if strings.HasPrefix(name, "assets/") { // their names have a hash of their content
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(data)
	}
}

// file returns a file of the page, compressed where that was built and the client takes it.
func (s *Server) file(name, accepted string) (data []byte, encoding string, err error) {
	for _, c := range []struct{ word, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if strings.Contains(accepted, c.word) {
			if data, err := fs.ReadFile(s.Page, name+c.suffix); err == nil {
				return data, c.word, nil
			}
		}
	}
	data, err = fs.ReadFile(s.Page, name)
	return data, "", err
}
