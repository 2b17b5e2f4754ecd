// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/rows"
)

// everyone lets every request in, with all rights.
type everyone struct{}

func (everyone) Reader(*http.Request) (Reader, error) { return Reader{}, nil }

// FuzzQuery: no query makes the server, or the rows behind it, panic: the answer is JSON, or an error with a code.
func FuzzQuery(f *testing.F) {
	set := &catalog.Set{}
	fleet := rows.New(func() time.Time { return noon })
	source := fleet.Add(rows.Options{Graph: relation.New(set),
		Judge: func() rows.Judge { return relation.JudgeBy(pack.Default(set), set, noon) }})
	source.Sync([]*relation.Object{widget("good", "True", "", "1"), widget("bad", "False", "it is stuck", "1")})
	handler := New(Options{Fleet: fleet, Auth: everyone{}, Mode: "files"})
	paths := []string{"about", "overview", "objects", "facets", "tree", "why", "history", "changes", "at"}
	for i := range paths {
		f.Add(uint8(i), "kind=Widget.example.com&namespace=a&name=good&text=stuck&verdict=Failed&label=a%3Db&offset=1&limit=2&since=1")
		f.Add(uint8(i), "offset=-1&label=%3D%3D&verdict=&since=x&time=2026-13-01&from=9999999999&unhealthy=2")
	}
	f.Fuzz(func(t *testing.T, path uint8, query string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/"+paths[int(path)%len(paths)], nil)
		r.URL.RawQuery = query
		if _, err := url.ParseQuery(query); err != nil {
			return
		}
		handler.ServeHTTP(w, r)
		var refused api.Error
		switch body := w.Body.Bytes(); {
		case w.Code == http.StatusOK && !json.Valid(body):
			t.Errorf("%s: not JSON: %.200s", r.URL, body)
		case w.Code >= 500:
			t.Errorf("%s: %d %.200s", r.URL, w.Code, body)
		case w.Code >= 400 && (json.Unmarshal(body, &refused) != nil || refused.Error.Code == ""):
			t.Errorf("%s: %d without a code: %.200s", r.URL, w.Code, body)
		}
	})
}
