// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/localplane/internal/components"
	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// full are the components of a build that has them; no test of this package starts one.
var full = map[string]components.Run{supervisor.Etcd: nil, supervisor.APIServer: nil, supervisor.ControllerManager: nil}

func TestExitCodes(t *testing.T) {
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		args       []string
		code       int
		wantStderr string
	}{
		"nothing":         {nil, Usage, "localplane: which command? up or version\n"},
		"unknown command": {[]string{"down"}, Usage, "localplane: unknown command \"down\" for \"localplane\"\n"},
		"unknown flag":    {[]string{"up", "--port=1"}, Usage, "localplane: unknown flag: --port\n"},
		"argument":        {[]string{"up", "here"}, Usage, "localplane: unknown command \"here\" for \"localplane up\"\n"},
		"no value":        {[]string{"up", "--dir"}, Usage, "localplane: flag needs an argument: --dir\n"},
		"no duration": {[]string{"up", "--timeout=soon"}, Usage,
			"localplane: invalid argument \"soon\" for \"--timeout\" flag: time: invalid duration \"soon\"\n"},
		"negative duration": {[]string{"up", "--timeout=-1s"}, Usage, "localplane: --timeout -1s: must be positive\n"},
		"negative nodes":    {[]string{"up", "--nodes=-1"}, Usage, "localplane: --nodes -1: must be 0 to 1000\n"},
		"nodes": {[]string{"up", "--nodes=1"}, Failed,
			"localplane: --nodes needs kube-scheduler and KWOK, which this build does not have: make bin/localplane builds one that does\n"},
		"foreign folder": {[]string{"up", "--dir", foreign}, Failed, "localplane: data folder " + foreign +
			" is neither empty nor one of localplane\n"},
		"help": {[]string{"up", "--help"}, Stopped, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			code := Main(full, test.args, strings.NewReader(""), &stdout, &stderr)
			if code != test.code {
				t.Errorf("exit code: want %d, got %d", test.code, code)
			}
			if diff := cmp.Diff(test.wantStderr, stderr.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
			if wantHelp := name == "help"; wantHelp != (stdout.Len() > 0) {
				t.Errorf("stdout: got %q", stdout.String())
			}
		})
	}
}

func TestVersion(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := Main(full, []string{"version"}, nil, &stdout, &stderr); code != Stopped || stderr.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	if want := regexp.MustCompile(`^kubernetes v\S+\netcd v3\.\S+\n$`); !want.MatchString(stdout.String()) {
		t.Errorf("want %s, got %q", want, stdout.String())
	}
}

func TestListen(t *testing.T) {
	first, err := listen(0)
	if err != nil {
		t.Fatal(err)
	}
	port := first.Addr().(*net.TCPAddr).Port
	other, err := listen(port)
	if err != nil {
		t.Fatal(err)
	}
	if got := other.Addr().(*net.TCPAddr); got.Port == port || !got.IP.IsLoopback() {
		t.Errorf("taken port: want another on a loopback address, got %s", got)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := listen(port)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Addr().(*net.TCPAddr).Port; got != port {
		t.Errorf("free port: want %d, got %d", port, got)
	}
	for _, l := range []net.Listener{other, again} {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Nothing listens on an address that other machines reach, nobody gets in without a token, and the addresses of Services do not run out.
func TestAPIServerFlags(t *testing.T) {
	flags := strings.Join(apiServerFlags(40123), "\n") + "\n"
	for _, want := range []string{
		"--bind-address=127.0.0.1\n", "--secure-port=40123\n", "--anonymous-auth=false\n",
		"--token-auth-file=credentials/tokens.csv\n", "--disable-admission-plugins=ServiceAccount\n",
		"--service-cluster-ip-range=10.0.0.0/16\n",
	} {
		if !strings.Contains(flags, want) {
			t.Errorf("want %q in:\n%s", want, flags)
		}
	}
}
