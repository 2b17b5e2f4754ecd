// SPDX-License-Identifier: Apache-2.0

package router

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
)

// maxFile bounds an artifact; ConfigMaps are smaller.
const maxFile = 2 << 20

// Inference is the part of an InferencePolicy that is enforced.
type Inference struct {
	Action      string `json:"action"` // that the agent may ask the models for; empty or *: any
	TokenBudget *struct {
		PerRequestTokens int64 `json:"perRequestTokens"`
	} `json:"tokenBudget"`
	ModelPreference *struct {
		Primary  Model   `json:"primary"`
		Fallback []Model `json:"fallback"`
	} `json:"modelPreference"`
}

// Model is a deployment of a model that the agent may use.
type Model struct {
	Deployment string `json:"deployment"`
}

// Binding is the store of the memories.
type Binding struct {
	StoreName string `json:"storeName"`
	Scope     string `json:"scope"`
}

// AgentHeader names the agent of the sandbox on the calls that its router forwards.
const AgentHeader = "X-Kars-Agent"

// Card is the part of an agent card that a router uses.
type Card struct {
	ID string `json:"id"`
}

// State has the artifacts that a router enforces. It is for concurrent use.
type State struct {
	root string
	now  func() time.Time

	mu        sync.RWMutex
	entries   map[string]*echo.Entry
	profile   *digest.Profile
	inference *Inference
	binding   *Binding
	card      *Card
	baseline  []digest.Endpoint
	grants    []digest.Grant
}

// NewState returns a state that has loaded nothing.
func NewState(root string, now func() time.Time) *State {
	return &State{root: root, now: now, entries: map[string]*echo.Entry{}}
}

// Load looks at the files and reports whether anything changed.
func (s *State) Load() bool {
	before := s.Status()
	s.file(digest.AgtProfile, "tools", func(body []byte) (func(), error) {
		p, err := digest.ParseProfile(body)
		return func() { s.profile = p }, err
	}, func() { s.profile = nil })
	s.file(digest.InferencePolicy, "inference", func(body []byte) (func(), error) {
		var p Inference
		err := json.Unmarshal(body, &p)
		return func() { s.inference = &p }, err
	}, func() { s.inference = nil })
	s.file(digest.Memory, "memory", func(body []byte) (func(), error) {
		var b Binding
		err := json.Unmarshal(body, &b)
		if err == nil && b.StoreName == "" {
			err = errors.New("the binding names no store")
		}
		return func() { s.binding = &b }, err
	}, func() { s.binding = nil })
	s.file(digest.AgentCard, "a2a", func(body []byte) (func(), error) {
		var c Card
		err := json.Unmarshal(body, &c)
		if err == nil && (c.ID == "" || strings.ContainsFunc(c.ID, unicode.IsControl)) {
			err = errors.New("the card names no agent")
		}
		return func() { s.card = &c }, err
	}, func() { s.card = nil })
	s.file(digest.EgressAllowlist, "egress", func(body []byte) (func(), error) {
		list, err := digest.ParseAllowlist(body)
		return func() { s.baseline = list }, err
	}, func() { s.baseline = nil })
	s.approvals()
	return !bytes.Equal(before, s.Status())
}

// sign names the agent on an outbound call; the runtime cannot set the header.
func (s *State) sign(h http.Header) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if h.Del(AgentHeader); s.card != nil {
		h.Set(AgentHeader, s.card.ID)
	}
}

// read reads a file of a mounted folder.
func (s *State) read(folder, name string) ([]byte, error) {
	path := filepath.Join(s.root, folder, name)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s is no file of at most %d bytes", name, maxFile)
	}
	return os.ReadFile(path)
}

// file loads one artifact. parse returns a function that puts it in force.
func (s *State) file(kind, folder string, parse func([]byte) (func(), error), gone func()) {
	name := digest.Names[kind]
	body, err := s.read(folder, name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, fs.ErrNotExist) {
		if s.entries[kind] != nil {
			delete(s.entries, kind)
			gone()
		}
		return
	}
	entry := s.entries[kind]
	if entry == nil {
		entry = &echo.Entry{Kind: kind, SourcePath: folder + "/" + name}
		s.entries[kind] = entry
	}
	sum := digest.Of(kind, body)
	if err == nil && entry.Digest != nil && *entry.Digest == sum {
		if kind != digest.Memory { // there the last error is the store's
			entry.LastError = nil
		}
		return
	}
	var effect func()
	if err == nil {
		effect, err = parse(body)
	}
	if err != nil {
		text := echo.Clean(err.Error())
		entry.LastError = &text
		return
	}
	effect()
	entry.Digest, entry.LoadedAt, entry.LastError, entry.StoreSeenAt = &sum, s.now().UTC().Format(time.RFC3339), nil, nil
}

// approvals loads the grants and merges them with the list. A grant that cannot be read is left out and reported.
func (s *State) approvals() {
	names, err := filepath.Glob(filepath.Join(s.root, "approvals", "approval-*.json"))
	var grants []digest.Grant
	slices.Sort(names)
	for _, path := range names {
		var grant digest.Grant
		body, bad := s.read("approvals", filepath.Base(path))
		if bad == nil {
			bad = json.Unmarshal(body, &grant)
		}
		if bad != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", filepath.Base(path), bad))
			continue
		}
		grants = append(grants, grant)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grants = grants
	lists := [][]digest.Endpoint{s.baseline}
	for _, g := range grants {
		lists = append(lists, g.Hosts)
	}
	sum := digest.Of(digest.EgressApproval, digest.Allowlist(digest.Merge(lists...)))
	entry := s.entries[digest.EgressApproval]
	if entry == nil {
		entry = &echo.Entry{Kind: digest.EgressApproval, SourcePath: "approvals"}
		s.entries[digest.EgressApproval] = entry
	}
	if entry.LastError = nil; err != nil {
		text := echo.Clean(err.Error())
		entry.LastError = &text
	}
	if entry.Digest == nil || *entry.Digest != sum {
		entry.Digest, entry.LoadedAt = &sum, s.now().UTC().Format(time.RFC3339)
	}
}

// Status returns the report of the router as JSON.
func (s *State) Status() []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	status := echo.Status{SchemaVersion: echo.SchemaVersion, Entries: []echo.Entry{}}
	for _, entry := range s.entries {
		status.Entries = append(status.Entries, *entry)
	}
	slices.SortFunc(status.Entries, func(a, b echo.Entry) int { return strings.Compare(a.Kind, b.Kind) })
	status.Count = len(status.Entries)
	out, err := json.Marshal(status)
	if err != nil { // strings and numbers only
		panic("router: status cannot be encoded: " + err.Error())
	}
	return out
}

// stored records the answer of the memory store, and reports whether it changes the state.
func (s *State) stored(method string, code int, store string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry := s.entries[digest.Memory]
	if entry == nil {
		return false
	}
	var text string
	switch {
	case code == 401 || code == 403:
		text = fmt.Sprintf("%s the store %s answers %d", echo.PrefixAuth, store, code)
	case code == 404 && method != "DELETE":
		text = fmt.Sprintf("%s the store %s answers 404", echo.PrefixMissing, store)
	case code < 200 || code > 299:
		return false
	}
	had := entry.LastError
	if text == "" {
		entry.LastError = nil
		news := had != nil || entry.StoreSeenAt == nil
		if entry.StoreSeenAt == nil {
			seen := s.now().UTC().Format(time.RFC3339)
			entry.StoreSeenAt = &seen
		}
		return news
	}
	entry.LastError = &text
	return had == nil || *had != text
}
