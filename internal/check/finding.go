// SPDX-License-Identifier: Apache-2.0

package check

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/tristate/tristate/internal/declare/catalog"
)

// Finding is one violation.
type Finding struct {
	Check *Check
	Level Level
	// Subject names the faulty thing in terms that survive edits: Kind.group/Type=Status/Reason, Kind/namespace/name, package.Function. It
	// has no line and no message.
	Subject string
	// Position is its place; without a line where the input is not text.
	Position catalog.Position
	// Path is the place in the document, as spec.conditions[2].reasons[0].
	Path    string
	Message string // one sentence, lower-case
	Fix     string // the remedy; empty: that of the check
	Related []Related
}

// Related is another place that belongs to a finding.
type Related struct {
	Position catalog.Position
	Message  string
}

// Fingerprint identifies a finding by its check and subject. It is stable when files are edited or messages reworded; two findings of one
// check about one subject have the same.
func (f *Finding) Fingerprint() string {
	sum := sha256.Sum256([]byte(f.Check.ID + "\x00" + f.Subject))
	return hex.EncodeToString(sum[:8])
}

// Remedy returns the remedy of the finding, or else of its check.
func (f *Finding) Remedy() string {
	if f.Fix != "" {
		return f.Fix
	}
	return f.Check.Fix
}
