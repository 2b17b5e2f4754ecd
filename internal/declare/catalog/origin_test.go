// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]*Origin{
		"cert-manager/cert-manager@2d0d7f7, pkg/apis": {Repository: "cert-manager/cert-manager",
			Commit: "2d0d7f7", Path: "pkg/apis"},
		"a/b@0123456789abcdef0123456789abcdef01234567, api/v1, internal/x.go of 2026-08-20": {Repository: "a/b",
			Commit: "0123456789abcdef0123456789abcdef01234567", Path: "api/v1, internal/x.go", Date: time.Date(2026, 8, 20, 0, 0, 0, 0, time.UTC)},
		"gitlab-org/cloud-native/gitlab-operator@0123456, api": {Repository: "gitlab-org/cloud-native/gitlab-operator", Commit: "0123456",
			Path: "api"},
		"none, as it is not public":        {None: "as it is not public"},
		"none, ":                           nil,
		"a/b@v1.2.3, api":                  nil,
		"a/b@0123456":                      nil,
		"b@0123456, api":                   nil,
		"a/b@0123456, api of 2026-13-45":   nil,
		"":                                 nil,
		"https://a/b@0123456, api\nand so": nil,
	} {
		got, err := ParseOrigin(text)
		if want == nil {
			if err == nil {
				t.Errorf("%q is no error: %v", text, got)
			}
			continue
		}
		if diff := cmp.Diff(*want, got); diff != "" || err != nil {
			t.Errorf("%q: %v, -want +got\n%s", text, err, diff)
		}
	}
}
