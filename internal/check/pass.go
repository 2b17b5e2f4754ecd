// SPDX-License-Identifier: Apache-2.0

package check

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// maxFindings bounds the findings of one check: the rest is counted.
const maxFindings = 1000

// Pass is one run of one check, and all that the check can read.
type Pass struct {
	*evidence.Evidence
	Check *Check
	// Now is the time as of which objects are judged.
	Now time.Time
	// Skew is the largest difference between clocks.
	Skew time.Duration
	// Budget is how long a condition may lag, be Unknown or be in progress before it counts as stuck.
	Budget time.Duration
	// Checks are all checks of the run.
	Checks []*Check
	run    *run // shared by the checks of a run, and read by those about the run itself

	subjects int
	dropped  int
	findings []*Finding
}

// Subject counts one more subject of the check.
func (p *Pass) Subject() { p.subjects++ }

// Once returns the result of a function, which is called by the first check of the run that asks for the key.
func (p *Pass) Once(key string, f func() any) any {
	v, there := p.run.once[key]
	if !there {
		v = f()
		p.run.once[key] = v
	}
	return v
}

// Report adds a finding and returns it, so that the caller can add details.
func (p *Pass) Report(at catalog.Position, subject, format string, args ...any) *Finding {
	f := &Finding{Check: p.Check, Level: p.Check.Level, Subject: subject, Position: at, Message: fmt.Sprintf(format, args...)}
	if len(p.findings) >= maxFindings {
		p.dropped++
		return f
	}
	p.findings = append(p.findings, f)
	return f
}

// At sets the path of a finding.
func (f *Finding) At(path string) *Finding {
	f.Path = path
	return f
}

// Try sets the remedy of a finding.
func (f *Finding) Try(format string, args ...any) *Finding {
	f.Fix = fmt.Sprintf(format, args...)
	return f
}

// As sets the level of a finding.
func (f *Finding) As(l Level) *Finding {
	f.Level = l
	return f
}

// See adds a related place.
func (f *Finding) See(at catalog.Position, format string, args ...any) *Finding {
	f.Related = append(f.Related, Related{at, fmt.Sprintf(format, args...)})
	return f
}

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
	Fix     string // the remedy; empty: the check's
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
