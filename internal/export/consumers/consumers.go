// SPDX-License-Identifier: Apache-2.0

package consumers

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/kstatus"
	"github.com/tristate/tristate/verdict"
)

// A Row is an object, or a state of a kind, with all answers about it.
type Row struct {
	kstatus.Row
	// KubectlWait: kubectl wait --for=condition=Ready ends.
	KubectlWait bool `json:"kubectlWait"`
	// ArgoCD is the health by Argo CD's own checks; empty where it has none for the kind.
	ArgoCD string `json:"argoCD,omitempty"`
	// ArgoCDUnknown: Argo CD has not been asked.
	ArgoCDUnknown bool `json:"argoCDUnknown,omitempty"`
}

// An Argo answers as Argo CD without an export does: the health, which is empty where Argo CD has no check; false where it was not asked.
type Argo func(object map[string]any) (health string, known bool)

// Rows lists the states of a kind, in the order of its catalog.
func Rows(s *export.Subject, argo Argo) []Row {
	var out []Row
	for _, r := range kstatus.Rows(s) {
		out = append(out, row(r, argo))
	}
	return out
}

// RowOf returns the answers about one object of a kind at a moment.
func RowOf(s *export.Subject, name string, object map[string]any, now time.Time, argo Argo) Row {
	return row(kstatus.RowOf(s, pack.Engine(s.Set), name, object, now), argo)
}

func row(r kstatus.Row, argo Argo) Row {
	out := Row{Row: r, KubectlWait: export.ConditionMet(r.Object, "Ready")}
	health, known := argo(r.Object)
	out.ArgoCD, out.ArgoCDUnknown = health, !known
	return out
}

// health is Argo CD's word for a verdict.
var health = map[verdict.Status]string{
	verdict.Current: "Healthy", verdict.InProgress: "Progressing", verdict.Failed: "Degraded", verdict.Degraded: "Degraded",
	verdict.Suspended: "Suspended", verdict.Terminating: "Progressing", verdict.Unknown: "Unknown", verdict.NotFound: "Missing",
}

// ArgoCDWrong reports whether Argo CD has a health that is not the verdict's.
func (r Row) ArgoCDWrong() bool { return r.ArgoCD != "" && r.ArgoCD != health[r.Verdict] }

// KstatusWrong reports whether the word of kstatus is not the verdict's.
func (r Row) KstatusWrong() bool { return r.Plain != r.Want }

// KubectlWaitWrong reports whether kubectl wait ends too early, or goes on waiting for an object that has failed.
func (r Row) KubectlWaitWrong() bool {
	return r.KubectlWait && r.Want != verdict.Current || !r.KubectlWait && r.Want == verdict.Failed
}

// Green reports whether a tool calls an unhealthy object healthy.
func (r Row) Green() bool {
	return r.Verdict.Broken() && (r.Plain == verdict.Current || r.KubectlWait || r.ArgoCD == "Healthy")
}

//go:embed argocd.tsv
var recorded string

// answers are the recorded answers by digest of the object.
var answers = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(recorded) {
		if digest, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok && !strings.HasPrefix(line, "#") {
			out[digest], _, _ = strings.Cut(rest, "\t")
		}
	}
	return out
})

// Recorded is an [Argo] that knows the states of shipped catalogs.
func Recorded(object map[string]any) (string, bool) {
	word, known := answers()[Digest(object)]
	if word == None {
		word = ""
	}
	return word, known
}

// None is an object without a health in the record.
const None = "-"

// Digest returns the first 12 hexadecimal digits of the SHA-256 of an object as JSON, keys sorted.
func Digest(object map[string]any) string {
	data, err := json.Marshal(object)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}
