// SPDX-License-Identifier: Apache-2.0

package digest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
)

func TestOf(t *testing.T) {
	// Computed with coreutils: { printf '\0\0\0\0\0\0\0\14binding.json\0\0\0\0\0\0\0\2{}'; } | sha256sum
	const want = "sha256:d46e45a45bbfee8447ea94aef1a81f316c53dbff56899d7117105db7af226bd9"
	if got := Of(Memory, []byte("{}")); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	if Of(EgressAllowlist, []byte("{}")) == Of(EgressApproval, []byte("{}")) {
		t.Error("the digests of two kinds of artifacts are the same")
	}
}

func TestAllowlist(t *testing.T) {
	tests := map[string]struct {
		in   [][]api.Endpoint
		want string
	}{
		"nothing": {nil, `{"schemaVersion":1,"endpoints":[]}`},
		"blank hosts go, 443 is the default, case and order do not matter": {
			[][]api.Endpoint{{{Host: " B.example.com "}, {Host: " "}, {Host: "a.example.com", Port: 8080}},
				{{Host: "a.example.com"}, {Host: "b.example.com", Port: 443}}},
			`{"schemaVersion":1,"endpoints":[{"host":"a.example.com","port":443},{"host":"a.example.com","port":8080},{"host":"b.example.com","port":443}]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Allowlist(Normalize(test.in...))
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("allowlist: -want +got\n%s", diff)
			}
			parsed, err := ParseAllowlist(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Normalize(test.in...), parsed); diff != "" {
				t.Errorf("read again: -want +got\n%s", diff)
			}
		})
	}
}
