// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/english"
)

// Text returns the report for people: each finding with its place, the source line, why it matters and the remedy, then the summary line.
// Findings below the least level are only counted.
func Text(r *check.Report, files map[string][]byte, least check.Level) string {
	var b strings.Builder
	for _, f := range r.Findings(least) {
		finding(&b, f, files)
	}
	b.WriteString(Summary(r, least))
	return b.String()
}

func finding(b *strings.Builder, f *check.Finding, files map[string][]byte) {
	place := f.Position.String()
	if place == "" {
		place = f.Subject
	}
	fmt.Fprintf(b, "%s: %s: %s  [%s]\n", place, f.Level, f.Message, f.Check.ID)
	b.WriteString(snippet(files[f.Position.File], f.Position))
	if f.Path != "" {
		fmt.Fprintf(b, "   at: %s\n", f.Path)
	}
	for _, related := range f.Related {
		fmt.Fprintf(b, "  see: %s: %s\n", related.Position, related.Message)
	}
	fmt.Fprintf(b, "  why: %s\n", f.Check.Why)
	if fix := f.Remedy(); fix != "" {
		fmt.Fprintf(b, "  fix: %s\n", fix)
	}
	b.WriteByte('\n')
}

// widest is how much of a line is shown.
const widest = 160

// snippet returns the source line with a caret below the place; of a long line the part around it.
func snippet(data []byte, p catalog.Position) string {
	line, ok := lineOf(data, p.Line)
	if !ok {
		return ""
	}
	runes := []rune(line)
	column := min(max(p.Column, 1)-1, len(runes))
	if from := column - widest/2; len(runes) > widest && from > 0 {
		runes, column = runes[from:], column-from
	}
	runes = runes[:min(len(runes), widest)]
	indent := make([]rune, column)
	for i := range indent {
		if indent[i] = ' '; runes[i] == '\t' {
			indent[i] = '\t'
		}
	}
	number := fmt.Sprint(p.Line)
	margin := strings.Repeat(" ", len(number))
	return fmt.Sprintf("%s |\n%s | %s\n%s | %s^\n", margin, number, string(runes), margin, string(indent))
}

// lineOf returns one line of a text, counted from 1.
func lineOf(data []byte, n int) (string, bool) {
	if n < 1 || len(data) == 0 {
		return "", false
	}
	for range n - 1 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			return "", false
		}
		data = data[end+1:]
	}
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		data = data[:end]
	}
	return strings.TrimRight(strings.ToValidUTF8(string(data), "\uFFFD"), "\r"), true
}

// Summary returns the last line: the findings by level, then the numbers of checks that passed, that were skipped with the missing
// evidence, and of findings that are excepted or known.
func Summary(r *check.Report, least check.Level) string {
	counts := r.Count()
	passed, excepted, known := 0, 0, 0
	var missing evidence.Need
	skipped := 0
	var until time.Time
	for i := range r.Results {
		result := &r.Results[i]
		known += len(result.Known)
		for _, e := range result.Excepted {
			excepted++
			if until.IsZero() || e.Exception.Until.Before(until) {
				until = e.Exception.Until
			}
		}
		switch result.Outcome {
		case check.Passed:
			passed++
		case check.Skipped:
			skipped++
			missing |= result.Missing
		}
	}
	var parts []string
	for _, l := range []check.Level{check.Error, check.Warning, check.Info} {
		if n := counts[l]; n > 0 {
			text := english.Count(n, string(l))
			if l == check.Info {
				text = fmt.Sprintf("%d info", n)
			}
			if l.Rank() > least.Rank() {
				text += " (not shown)"
			}
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing found")
	}
	rest := []string{english.Count(passed, "check") + " passed"}
	if skipped > 0 {
		names := missing.Names()
		slices.Sort(names)
		rest = append(rest, fmt.Sprintf("%d skipped (no %s)", skipped, strings.Join(names, ", no ")))
	}
	if excepted > 0 {
		rest = append(rest, fmt.Sprintf("%d excepted until %s", excepted, until.Format(time.DateOnly)))
	}
	if known > 0 {
		rest = append(rest, fmt.Sprintf("%d known", known))
	}
	return strings.Join(parts, ", ") + " · " + strings.Join(rest, ", ") + "\n"
}
