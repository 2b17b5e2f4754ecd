// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/kstatus"
	"github.com/tristate/tristate/internal/pack"
	"github.com/tristate/tristate/verdict"
)

// consumerRow is a state of a kind with the answers of the tools that wait for it.
type consumerRow struct {
	kstatus.Row
	// KubectlWait: kubectl wait --for=condition=Ready ends.
	KubectlWait bool `json:"kubectlWait"`
}

// consumers shows the answers about the states of kinds.
func (o *options) consumers(names []string) error {
	if len(names) == 0 {
		return exit.Usagef("compare --consumers: name a kind, as ToolPolicy.kars.azure.com")
	}
	set, err := o.Catalogs.Load()
	if err != nil {
		return err
	}
	packs, err := pack.Shipped()
	if err != nil {
		return err
	}
	subjects, err := export.Subjects(names, set, packs)
	if err != nil {
		return exit.With(exit.NotFound, err)
	}
	rows := []consumerRow{}
	for _, s := range subjects {
		for _, r := range kstatus.Rows(s) {
			rows = append(rows, consumerRow{r, export.ConditionMet(r.Object, "Ready")})
		}
	}
	if o.output == "json" {
		encoder := json.NewEncoder(o.app.Out)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(rows); err != nil {
			return err
		}
	} else if err := o.showConsumers(rows); err != nil {
		return err
	}
	if o.exitCode && slices.ContainsFunc(rows, consumerRow.green) {
		return exit.With(exit.Findings, nil)
	}
	return nil
}

// green reports whether a tool calls an unhealthy state healthy.
func (r consumerRow) green() bool {
	return r.Verdict.Broken() && (r.Plain == verdict.Current || r.KubectlWait)
}

// showConsumers prints a table, with a mark at each answer that is not ours.
func (o *options) showConsumers(rows []consumerRow) error {
	w := tabwriter.NewWriter(o.app.Out, 0, 0, 3, ' ', 0)
	if !o.noHeaders {
		fmt.Fprintln(w, "KIND\tSTATE\tTRISTATE\tKSTATUS, HELM, FLUX\tKUBECTL WAIT\tTHE AUTHOR ADDS")
	}
	wrong, green := 0, 0
	for _, r := range rows {
		plain, waits, add := string(r.Plain), "waits", r.Add.Type
		if r.KubectlWait {
			waits = "ends"
		}
		if r.Plain != r.Want {
			wrong++
			plain += " (wrong)"
		}
		if r.Lost {
			add = "nothing helps"
		}
		if r.KubectlWait && r.Want != verdict.Current || !r.KubectlWait && r.Want == verdict.Failed {
			waits += " (wrong)"
		}
		if r.green() {
			green++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Kind, r.State, r.Verdict, plain, waits, add)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if !o.noHeaders {
		fmt.Fprintf(o.app.Out, "\n%d states: kstatus is wrong about %d; an unhealthy state is called healthy %d times.\n"+
			"Argo CD has no health of a kind without a check of its own: tristate gen argocd writes one, and gen flux one for Flux.\n", len(rows), wrong, green)
	}
	return nil
}
