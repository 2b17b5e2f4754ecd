// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"regexp"
	"strings"
	"time"
)

// Origin is the source of a catalog: files of a repository at a commit, or why there is none.
type Origin struct {
	None       string // the reason; then nothing else is set
	Repository string // owner/name
	Commit     string
	Path       string
	Date       time.Time // of the commit; zero if it is not written
}

var origin = regexp.MustCompile(`^([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)@([0-9a-f]{7,40}), (.+?)(?: of (\d{4}-\d{2}-\d{2}))?$`)

// ParseOrigin parses owner/repository@commit, path, which a date may follow: "of 2026-08-20". Without a repository it is "none, " and the
// reason.
func ParseOrigin(text string) (Origin, error) {
	if reason, ok := strings.CutPrefix(text, "none, "); ok && strings.TrimSpace(reason) != "" {
		return Origin{None: reason}, nil
	}
	m := origin.FindStringSubmatch(text)
	if m == nil {
		return Origin{}, errors.New("must be owner/repository@commit, path, or none, and the reason")
	}
	o := Origin{Repository: m[1], Commit: m[2], Path: m[3]}
	if m[4] != "" {
		date, err := time.Parse(time.DateOnly, m[4])
		if err != nil {
			return Origin{}, errors.New("must end with a date, as 2026-08-20")
		}
		o.Date = date
	}
	return o, nil
}
