// SPDX-License-Identifier: Apache-2.0

package approver

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tristate/tristate/operator/program"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const usage = "usage: vworkspace-claim key|issue (--help shows the flags of each)"

// maxObject bounds the object on standard input.
const maxObject = 4 << 20

// Run is the program vworkspace-claim.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer, now time.Time) int {
	if len(args) > 0 {
		switch args[0] {
		case "key":
			return key(args[1:], stdout, stderr)
		case "issue":
			return issue(args[1:], stdin, stdout, stderr, now)
		}
	}
	fmt.Fprintln(stderr, usage)
	return program.ExitUsage
}

// key writes a private key to a file, and its public key to standard output.
func key(args []string, stdout, stderr io.Writer) int {
	p := program.New("vworkspace-claim key", stderr)
	out := p.String("out", "", "file for the private key; it must not exist")
	return p.Run(args, func() error {
		private, public, err := claim.Generate()
		if err != nil {
			return err
		}
		file, err := os.OpenFile(*out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return program.Usage(err)
		}
		_, err = file.Write(private)
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
		_, err = stdout.Write(public)
		return err
	})
}

// issue signs a claim for the object on standard input.
func issue(args []string, stdin io.Reader, stdout, stderr io.Writer, now time.Time) int {
	p := program.New("vworkspace-claim issue", stderr)
	file := p.String("key", "", "file with the private key")
	id := p.String("key-id", "", "id of the key: the name of its public key in Secret vworkspace-approval-keys")
	by := p.String("by", "", "name of the approver")
	lasts := p.Duration("for", time.Hour, "how long the claim is valid for a start")
	return p.Run(args, func() error {
		if *by == "" || *id == "" {
			return program.Usage(errors.New("--by and --key-id are required"))
		}
		text, err := os.ReadFile(*file)
		if err != nil {
			return program.Usage(fmt.Errorf("read the private key: %w", err))
		}
		private, err := claim.ParsePrivate(text)
		if err != nil {
			return program.Usage(err)
		}
		subject, shown, err := read(stdin)
		if err != nil {
			return err
		}
		signed, err := claim.Issue(private, *id, *by, subject, now, now.Add(*lasts))
		if err != nil {
			return err
		}
		fmt.Fprintf(stderr, "%s\n", shown)
		_, err = fmt.Fprintln(stdout, signed)
		return err
	})
}

// read reads an object. It returns what an approval of it approves, and the same for people.
func read(stdin io.Reader) (claim.Subject, string, error) {
	data, err := io.ReadAll(io.LimitReader(stdin, maxObject))
	if err != nil {
		return claim.Subject{}, "", err
	}
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(data, &kind); err != nil {
		return claim.Subject{}, "", fmt.Errorf("read the object: %w", err)
	}
	var (
		subject claim.Subject
		wanted  *approval.Approval
		spec    any
	)
	switch kind.Kind {
	case "Operation":
		var o opsapi.Operation
		if err = yaml.Unmarshal(data, &o); err == nil && o.Status.Approval != nil {
			wanted, spec = o.Status.Approval, o.Spec
			subject, err = claim.Operation(wanted.Cluster, &o, wanted.Resolved)
		}
	case "ApplicationInstance":
		var o appsapi.ApplicationInstance
		if err = yaml.Unmarshal(data, &o); err == nil && o.Status.Approval != nil {
			wanted, spec = o.Status.Approval, o.Spec
			subject, err = claim.Instance(wanted.Cluster, &o)
		}
	default:
		return subject, "", fmt.Errorf("the object is a %q: want an Operation or an ApplicationInstance", kind.Kind)
	}
	switch {
	case err != nil:
		return subject, "", fmt.Errorf("read the object: %w", err)
	case wanted == nil:
		return subject, "", errors.New("the object needs no approval: its status has no approval")
	case wanted.Digest != subject.Digest:
		return subject, "", fmt.Errorf("the status asks for an approval of %s, and the object has digest %s: read it again", wanted.Digest,
			subject.Digest)
	}
	shown, err := yaml.Marshal(struct {
		Approves claim.Object         `json:"approves"`
		Spec     any                  `json:"spec"`
		Resolved []approval.Reference `json:"resolved,omitempty"`
		Digest   string               `json:"digest"`
	}{subject.Object, spec, wanted.Resolved, subject.Digest})
	return subject, string(shown), err
}
