// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/plane"
	"k8s.io/client-go/rest"
	clientcmd "k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// newChild prepares tristate run as a process of its own, with the rights of a configuration.
func newChild(t *testing.T, config *rest.Config, args ...string) *child {
	t.Helper()
	user := &clientcmdapi.AuthInfo{Token: config.BearerToken, ClientCertificateData: config.CertData, ClientKeyData: config.KeyData}
	file := clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"test": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"test": user},
		Contexts:       map[string]*clientcmdapi.Context{"test": {Cluster: "test", AuthInfo: "test"}},
		CurrentContext: "test",
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(file, path); err != nil {
		t.Fatal(err)
	}
	return &child{t: t, metrics: plane.Address(t), health: plane.Address(t), log: &tail{},
		args: append([]string{command(t), "run", "--kubeconfig", path}, args...)}
}

// cost is what a process has used so far.
type cost struct {
	passes         int
	cpu            time.Duration
	rss, own, most int // MB: now, without the pages of the program, and at most
}

// ticks is how many parts of a second the kernel counts processor time in.
const ticks = 100

// cost reads what the process has used from the kernel and from its metrics.
func (c *child) cost() cost {
	c.t.Helper()
	changed, unchanged := c.passes()
	out := cost{passes: changed + unchanged}
	dir := fmt.Sprintf("/proc/%d/", c.cmd.Process.Pid)
	if stat, err := os.ReadFile(dir + "stat"); err == nil {
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		for _, field := range fields[11:13] {
			n, _ := strconv.Atoi(field)
			out.cpu += time.Duration(n) * time.Second / ticks
		}
	}
	status, _ := os.ReadFile(dir + "status") // on other systems there is none, and the figures are 0
	for name, to := range map[string]*int{"VmRSS": &out.rss, "RssAnon": &out.own, "VmHWM": &out.most} {
		if m := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+) kB`).FindSubmatch(status); m != nil {
			n, _ := strconv.Atoi(string(m[1]))
			*to = n >> 10
		}
	}
	return out
}

// settles waits until the process has made so many passes in all, and no more for a second. It returns how long the passes took.
func (c *child) settles(passes int) time.Duration {
	c.t.Helper()
	begin := time.Now()
	last, since := -1, begin
	often := 20 * time.Millisecond
	if passes > 10_000 {
		often *= 20 // to be asked costs the process time as well
	}
	for n := -1; ; n = c.cost().passes {
		switch {
		case n != last:
			last, since = n, time.Now()
		case n >= passes && time.Since(since) > time.Second: // a measurement
			if code, _ := c.get(c.health, "/readyz"); code == 200 {
				return since.Sub(begin)
			}
		case time.Since(since) > 2*patience: // against hanging
			c.t.Fatalf("%d passes, want %d\n%s", n, passes, c.log)
		}
		time.Sleep(often)
	}
}

func (c cost) since(before cost) string {
	return fmt.Sprintf("%d passes, %.1f s of CPU", c.passes-before.passes, (c.cpu - before.cpu).Seconds())
}
