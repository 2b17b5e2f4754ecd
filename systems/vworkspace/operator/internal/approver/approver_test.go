// SPDX-License-Identifier: Apache-2.0

package approver

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// nightly returns an operation as the API server shows it.
func nightly(t *testing.T, change func(*opsapi.Operation)) string {
	t.Helper()
	o := &opsapi.Operation{TypeMeta: metav1.TypeMeta{APIVersion: "ops.vworkspace.io/v1alpha1", Kind: "Operation"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "nightly", UID: "1"}}
	o.Spec.Type, o.Spec.Engine, o.Spec.Parameters.Job = "RunCommand", "job", &opsapi.JobParameters{Image: "busybox"}
	resolved := []approval.Reference{{Kind: "ApplicationInstance", Name: "shop", UID: "2"}}
	s, err := claim.Operation("edge-1", o, resolved)
	if err != nil {
		t.Fatal(err)
	}
	o.Status.Approval = &approval.Approval{Cluster: "edge-1", Digest: s.Digest, Resolved: resolved}
	if change != nil {
		change(o)
	}
	data, err := yaml.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestRun makes a key, approves an operation by it, and verifies the claim. The command prints the signed content, and signs no object that
// differs from its status.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	private, public := filepath.Join(dir, "ada.pem"), filepath.Join(dir, "ada.pub")
	run := func(stdin string, args ...string) (code int, stdout, stderr string) {
		var out, errs bytes.Buffer
		code = Run(args, strings.NewReader(stdin), &out, &errs, now)
		return code, out.String(), errs.String()
	}
	code, text, stderr := run("", "key", "--out", private)
	if code != 0 {
		t.Fatal(stderr)
	}
	if err := os.WriteFile(public, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := run("", "key", "--out", private); code != 2 {
		t.Errorf("an existing key is written over: exit code %d", code)
	}
	sign := []string{"issue", "--key", private, "--key-id", "ada-2026", "--by", "ada", "--for", "30m"}
	code, signed, stderr := run(nightly(t, nil), sign...)
	if code != 0 || !strings.Contains(stderr, "image: busybox") || !strings.Contains(stderr, "name: shop") ||
		!strings.Contains(stderr, "uid: \"2\"") {
		t.Fatalf("exit code %d, shown:\n%s", code, stderr)
	}
	signed = strings.TrimSpace(signed)
	var o opsapi.Operation
	if err := yaml.Unmarshal([]byte(nightly(t, nil)), &o); err != nil {
		t.Fatal(err)
	}
	subject, err := claim.Operation("edge-1", &o, o.Status.Approval.Resolved)
	if err != nil {
		t.Fatal(err)
	}
	c, err := claim.Verify(claim.ParseKeys(map[string][]byte{"ada-2026": []byte(text)}), signed, subject, now)
	if err != nil || c.By != "ada" || c.Expires != now.Add(30*time.Minute).Unix() {
		t.Errorf("the claim is %+v, %v", c, err)
	}
	edited := nightly(t, func(o *opsapi.Operation) { o.Spec.Parameters.Job.Image = "evil" })
	for name, test := range map[string]struct {
		stdin string
		args  []string
		code  int
		want  string
	}{
		"an edited object is not signed": {edited, sign, 3, "read it again"},
		"no approval is needed":          {nightly(t, func(o *opsapi.Operation) { o.Status.Approval = nil }), sign, 3, "needs no approval"},
		"another kind":                   {"kind: Pod", sign, 3, `a "Pod"`},
		"not an object":                  {"[", sign, 3, "read the object"},
		"no approver":                    {nightly(t, nil), []string{"issue", "--key", private}, 2, "--by and --key-id"},
		"the public key":                 {nightly(t, nil), []string{"issue", "--key", public, "--key-id", "a", "--by", "ada"}, 2, "PRIVATE KEY"},
		"no command":                     {"", nil, 2, "usage"},
	} {
		if code, _, stderr := run(test.stdin, test.args...); code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
	}
}
