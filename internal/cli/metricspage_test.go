// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentsMetrics: docs/operation.md lists every metric that the sources of the controller name.
func TestDocumentsMetrics(t *testing.T) {
	page, err := os.ReadFile("../../docs/operation.md")
	if err != nil {
		t.Fatal(err)
	}
	for file, prefix := range map[string]string{"../../apply/metrics.go": "tristate_status_condition_", "../../controller/metrics.go": ""} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, m := range regexp.MustCompile(`name\("([a-z_]+)"\)|"(tristate_[a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
			found++
			if metric := prefix + m[1] + m[2]; !strings.Contains(string(page), "`"+metric+"`") {
				t.Errorf("docs/operation.md lacks %s of %s", metric, file)
			}
		}
		if found < 5 {
			t.Errorf("%s names %d metrics, which is too few", file, found)
		}
	}
}
