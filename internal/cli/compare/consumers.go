// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/crd"
	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/consumers"
	"github.com/tristate/tristate/internal/fleet/input"
)

// consumers shows the answers about the states of kinds, and about objects.
func (o *options) consumers(args []string) error {
	if len(args) == 0 {
		return exit.Usagef("compare --consumers: name a kind, as ToolPolicy.kars.azure.com, or a file with objects or definitions")
	}
	set, err := o.Catalogs.Load()
	if err != nil {
		return err
	}
	packs, err := pack.Shipped()
	if err != nil {
		return err
	}
	rows := []consumers.Row{}
	for _, arg := range args {
		var some []consumers.Row
		if _, err := os.Stat(arg); err == nil {
			some, err = o.ofFile(arg, set, packs)
			if err != nil {
				return err
			}
		} else if some, err = o.ofKind(arg, set, packs); err != nil {
			return err
		}
		rows = append(rows, some...)
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
	if o.exitCode && slices.ContainsFunc(rows, consumers.Row.Green) {
		return exit.With(exit.Findings, nil)
	}
	return nil
}

// ofKind returns the states of a kind.
func (o *options) ofKind(name string, sets ...*catalog.Set) ([]consumers.Row, error) {
	subjects, err := export.Subjects([]string{name}, sets...)
	if err != nil {
		return nil, exit.With(exit.NotFound, err)
	}
	return consumers.Rows(subjects[0], o.argo), nil
}

// ofFile returns the objects of a file, and the states of the kinds that its definitions define.
func (o *options) ofFile(path string, sets ...*catalog.Set) ([]consumers.Row, error) {
	objects, errs := input.Read([]string{path}, nil)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	var out []consumers.Row
	for _, object := range objects {
		if object.Content["kind"] == "CustomResourceDefinition" {
			d, err := crd.Read(object.Content)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			some, err := o.ofKind(d.Spec.Names.Kind+"."+d.Spec.Group, sets...)
			if err != nil {
				return nil, err
			}
			out = append(out, some...)
			continue
		}
		api := nested.Text(object.Content, "apiVersion")
		kind := nested.Text(object.Content, "kind")
		group, _, grouped := strings.Cut(api, "/")
		if !grouped {
			group = ""
		}
		gk := strings.TrimSuffix(kind+"."+group, ".")
		s := &export.Subject{For: catalog.ParseGroupKind(gk), Set: sets[0]}
		if subjects, err := export.Subjects([]string{gk}, sets...); err == nil {
			s = subjects[0]
		}
		name := nested.Text(object.Content, "metadata", "name")
		out = append(out, consumers.RowOf(s, name, object.Content, o.app.Now(), o.argo))
	}
	return out, nil
}

// showConsumers prints a table, with a mark at each answer that is not ours.
func (o *options) showConsumers(rows []consumers.Row) error {
	w := tabwriter.NewWriter(o.app.Out, 0, 0, 3, ' ', 0)
	if !o.noHeaders {
		fmt.Fprintln(w, "KIND\tSTATE\tTRISTATE\tARGO CD\tKSTATUS, HELM, FLUX\tKUBECTL WAIT\tTHE AUTHOR ADDS")
	}
	marked := func(answer string, wrong bool) string {
		if wrong {
			return answer + " (wrong)"
		}
		return answer
	}
	var plain, argo, green, unasked int
	for _, r := range rows {
		health, waits, add := r.ArgoCD, "waits", r.Add.Type
		switch {
		case r.ArgoCDUnknown:
			health = "not asked"
			unasked++
		case health == "":
			health = "no health"
		}
		if r.KubectlWait {
			waits = "ends"
		}
		if r.Lost {
			add = "nothing helps"
		}
		plain += one(r.KstatusWrong())
		argo += one(r.ArgoCDWrong())
		green += one(r.Green())
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Kind, r.State, r.Verdict, marked(health, r.ArgoCDWrong()),
			marked(string(r.Plain), r.KstatusWrong()), marked(waits, r.KubectlWaitWrong()), add)
	}
	if err := w.Flush(); err != nil || o.noHeaders {
		return err
	}
	fmt.Fprintf(o.app.Out, "\n%s: kstatus is wrong about %d, Argo CD about %d; an unhealthy one is called healthy %d times.\n",
		english.Count(len(rows), "row"), plain, argo, green)
	fmt.Fprintln(o.app.Out, "With the checks of tristate gen argocd and gen flux both have the verdicts, but for what --differences lists.")
	if unasked > 0 {
		fmt.Fprintf(o.app.Out, "Argo CD's answers are recorded for the states of shipped catalogs, not for %s: "+
			"tristate-consumers of proof/consumers/consumers asks it.\n", english.Count(unasked, "row"))
	}
	return nil
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
