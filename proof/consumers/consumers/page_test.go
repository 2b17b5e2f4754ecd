// SPDX-License-Identifier: Apache-2.0

package consumers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/export/consumers"
	"github.com/tristate/tristate/internal/export/flux"
	"github.com/tristate/tristate/verdict"
)

// order is the order of verdicts on the page.
var order = []verdict.Status{verdict.Current, verdict.Degraded, verdict.Failed, verdict.InProgress, verdict.Suspended, verdict.Terminating,
	verdict.Unknown, verdict.NotFound}

// tool is a column of the page.
type tool struct {
	name   string
	word   func(e *entry) string
	green  string // its word for healthy
	failed string // its word for broken; empty: it has none
}

var tools = []tool{
	{"kstatus: Helm 4, Flux", func(e *entry) string { return string(e.Plain) }, "Current", "Failed"},
	{"kubectl wait for Ready", func(e *entry) string {
		if e.KubectlWait {
			return "ends"
		}
		return "waits"
	}, "ends", ""},
	{"Argo CD", func(e *entry) string { return cmp.Or(e.ArgoCD, "no health") }, "Healthy", "Degraded"},
	{"Flux with gen flux", func(e *entry) string { return e.flux }, "Current", "Failed"},
	{"Argo CD with gen argocd", func(e *entry) string { return e.argo }, "Healthy", "Degraded"},
}

// page writes the page of a sample of objects, and its rows: those with the lowest digests, which is as good as any choice.
func page(all []entry) (text, data string) {
	rows := slices.Clone(all)
	slices.SortStableFunc(rows, func(a, b entry) int { return cmp.Compare(a.digest, b.digest) })
	rows = slices.CompactFunc(rows, func(a, b entry) bool { return a.digest == b.digest })
	rows = rows[:min(sample, len(rows))]
	slices.SortStableFunc(rows, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.source, b.source), cmp.Compare(a.State, b.State))
	})
	var b, d strings.Builder
	fmt.Fprintf(&b, intro, len(rows), len(all))
	b.WriteString("| | broken, called healthy | broken, not called broken | not ready, called healthy | healthy, not called healthy |\n|---|---|---|---|---|\n")
	for _, tool := range tools {
		var green, missed, early, late int
		for i := range rows {
			e := &rows[i]
			healthy := flux.Word(e.Verdict) == "Current" // waiting ends for what is suspended, too
			word := tool.word(e)
			isGreen := word == tool.green || tool.green == "Healthy" && word == "Suspended"
			switch {
			case e.Verdict.Broken() && isGreen:
				green++
			case e.Verdict.Broken() && word != tool.failed:
				missed++
			case !e.Verdict.Broken() && !healthy && isGreen:
				early++
			case healthy && !isGreen:
				late++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", tool.name, green, missed, early, late)
	}
	for _, tool := range tools {
		words := map[string]bool{}
		counts := map[verdict.Status]map[string]int{}
		for i := range rows {
			e := &rows[i]
			word := tool.word(e)
			words[word] = true
			if counts[e.Verdict] == nil {
				counts[e.Verdict] = map[string]int{}
			}
			counts[e.Verdict][word]++
		}
		var head []string
		for word := range words {
			head = append(head, word)
		}
		slices.Sort(head)
		fmt.Fprintf(&b, "\n## %s\n\n| verdict | %s |\n|---|%s\n", tool.name, strings.Join(head, " | "), strings.Repeat("---|", len(head)))
		for _, v := range order {
			if counts[v] == nil {
				continue
			}
			fmt.Fprintf(&b, "| %s |", v)
			for _, word := range head {
				fmt.Fprintf(&b, " %d |", counts[v][word])
			}
			b.WriteString("\n")
		}
	}
	d.WriteString("# kind, state or case, name, verdict, kstatus, kubectl wait, Argo CD, Flux with gen flux, Argo CD with gen argocd, digest\n")
	for i := range rows {
		e := &rows[i]
		fields := []string{e.Kind, e.source, e.State, string(e.Verdict)}
		for _, tool := range tools {
			fields = append(fields, tool.word(e))
		}
		d.WriteString(strings.Join(append(fields, consumers.Digest(e.Object)), "\t") + "\n")
	}
	return b.String(), d.String()
}

const intro = `# The disagreement

What other tools say about %d objects, by their own code, next to the verdict. The objects are those with the lowest digests of %d: every state that the shipped catalogs and rule packs
can reach, and the objects of the tests of packs. [disagreement.tsv](disagreement.tsv) has a line for each.

The module ` + "`proof/consumers/consumers`" +
	` asks kstatus (cli-utils v1.2.3), kubectl wait (v0.36.4), Argo CD with the checks that come with it (v3.5.7) and Flux's evaluator (v0.110.3); ` +
	"`make prove-exports`" + `
fails if this page is not what they say. ` + "`tristate compare --consumers`" +
	` shows the same for [a kind, an object or a definition](kstatus.md).

Broken is Failed or Degraded. Not ready is InProgress, Terminating or Unknown. A suspended object counts as healthy, as waiting for it does not help. kubectl wait has no word for broken, and Argo CD
has no health of a kind without a check, which does not count against an application.

`
