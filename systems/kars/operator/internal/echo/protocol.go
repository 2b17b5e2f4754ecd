// SPDX-License-Identifier: Apache-2.0

package echo

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Limits and names of the protocol.
const (
	Path          = "/internal/policy-status"
	SchemaVersion = 1
	Timeout       = 5 * time.Second
	MaxBody       = 1 << 20
	MaxError      = 512 // characters of last_error

	// PrefixAuth begins the last_error of a router whose memory store answered 401 or 403.
	PrefixAuth = "AuthMisconfigured:"
	// PrefixMissing begins the last_error of a router whose memory store answered 404.
	PrefixMissing = "MemoryStoreMissing:"

	maxEntries = 64
	maxWord    = 128 // bytes of a kind, digest or time
)

// Status is the report of a router.
type Status struct {
	SchemaVersion int     `json:"schema_version"`
	Count         int     `json:"count"`
	Entries       []Entry `json:"entries"`
}

// Entry is one artifact of a router.
type Entry struct {
	Kind       string  `json:"kind"`
	Digest     *string `json:"digest"` // of the artifact that is enforced; nil before the first success
	SourcePath string  `json:"source_path"`
	LoadedAt   string  `json:"loaded_at"` // RFC 3339
	LastError  *string `json:"last_error"`
	// StoreSeenAt is, for kind Memory, when the store answered a call with success; absent before.
	StoreSeenAt *string `json:"store_seen_at,omitempty"`
}

// decode reads a status strictly, and keeps only the parts that are judged: a report stays in memory for each router.
func decode(body []byte) ([]Entry, error) {
	var s Status
	if err := json.Unmarshal(body, &s); err != nil {
		return nil, fmt.Errorf("the status is not JSON: %w", err)
	}
	if s.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("schema version %d is not known", s.SchemaVersion)
	}
	if len(s.Entries) > maxEntries {
		return nil, fmt.Errorf("%d entries, at most %d are read", len(s.Entries), maxEntries)
	}
	kept := make([]Entry, 0, len(s.Entries))
	for _, e := range s.Entries {
		if len(e.Kind) > maxWord {
			continue
		}
		e.SourcePath, e.LoadedAt, e.Digest, e.StoreSeenAt = "", "", word(e.Digest), word(e.StoreSeenAt)
		if e.LastError != nil {
			cut := Clean(*e.LastError)
			e.LastError = &cut
		}
		kept = append(kept, e)
	}
	return kept, nil
}

// word returns a digest or a time; nil for a text that is too long to be either.
func word(s *string) *string {
	if s != nil && len(*s) > maxWord {
		return nil
	}
	return s
}

// Clean cuts text of a router to a line of at most MaxError characters.
func Clean(text string) string {
	line := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "�")), " "))
	return string(line[:min(len(line), MaxError)])
}
