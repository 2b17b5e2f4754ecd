// SPDX-License-Identifier: Apache-2.0

package wiring

import (
	"bytes"
	_ "embed"
	"regexp"
)

// Document is the catalog.
//
//go:embed kubernetes.yaml
var Document []byte

// about matches the kinds of a document.
var about = regexp.MustCompile(`(?m)^  for: \{.*kinds?: (?:\[([^]]*)]|(\w+))`)

// ByKind returns the documents about each kind.
func ByKind() map[string][]byte {
	const next = "\n---\n"
	out := map[string][]byte{}
	for _, document := range bytes.Split(Document, []byte(next)) {
		if m := about.FindSubmatch(document); m != nil {
			for kind := range bytes.SplitSeq(bytes.Join(m[1:], nil), []byte(", ")) {
				out[string(kind)] = append(append(out[string(kind)], document...), next...)
			}
		}
	}
	return out
}
