// SPDX-License-Identifier: Apache-2.0

package textscan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const rust = `pub const SPEC_INVALID: &str = "SpecInvalid";

// reason: "InAComment"
fn build(type_: &str, reason: &str) -> Condition {
    Condition { type_: type_.into(), status: "False".into(), reason: reason.into() }
}

fn reconcile(e: Error) -> Vec<Condition> {
    let a = Condition { type_: "Ready".into(), status: "True".into(), reason: "Reconciled".into() };
    let b = json!({"type": "Degraded", "status": "True", "reason": SPEC_INVALID});
    let c = Condition { type_: "Ready".into(), status: "False".into(), reason: reason_for_error(&e) };
    let event = Event { reason: "Started".into() };
    vec![a, build("Ready", SPEC_INVALID), c]
}

fn reason_for_error(e: &Error) -> &'static str {
    match e {
        Error::NotFound => "NotFound",
        Error::Spec(_) => {
            SPEC_INVALID
        }
        Error::Other(text) => classify(text),
    }
}

#[cfg(test)]
mod tests { fn x() { let a = Condition { type_: "Ready".into(), reason: "OnlyInTests".into() }; } }
`

func TestScan(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.rs"), []byte(rust), 0o666); err != nil {
		t.Fatal(err)
	}
	scans, err := Scan(dir)
	if err != nil || len(scans) != 1 {
		t.Fatal(scans, err)
	}
	var b strings.Builder
	for _, s := range scans[0].Sites {
		var reasons []string
		for _, r := range s.Reason {
			reasons = append(reasons, strings.TrimSpace(string(r.How)+" "+r.Text))
		}
		kind := ""
		if len(s.Types) > 0 {
			kind = s.Types[0].Text
		}
		fmt.Fprintf(&b, "%d %s %s\n", s.Position.Line, kind, strings.Join(reasons, ", "))
	}
	want := "9 Ready constant Reconciled\n10 Degraded constant SpecInvalid\n11 Ready constant NotFound, constant SpecInvalid, unresolved\n13  constant SpecInvalid\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
