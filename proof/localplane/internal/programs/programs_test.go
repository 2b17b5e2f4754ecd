// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	folder := func(names ...string) string {
		dir := t.TempDir()
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	two, three := folder("etcd", "kube-apiserver"), folder("etcd", "kube-apiserver", "kube-controller-manager")
	tests := map[string]struct {
		assets, path, from, wantErr string
		want                        []string
	}{
		"assets":              {assets: two, path: three, from: EnvAssets + "=" + two, want: []string{"etcd", "kube-apiserver"}},
		"path":                {path: three, from: "PATH", want: []string{"etcd", "kube-apiserver", "kube-controller-manager"}},
		"assets without etcd": {assets: folder("kube-apiserver"), path: three, wantErr: "etcd of " + EnvAssets},
		"path without server": {path: folder("etcd"), wantErr: "kube-apiserver of PATH"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", test.path)
			found, from, err := Find(func(name string) string { return map[string]string{EnvAssets: test.assets}[name] })
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("want error %q, got %v", test.wantErr, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for _, name := range test.want {
				want[name] = filepath.Join(strings.TrimPrefix(strings.Replace(test.from, "PATH", test.path, 1), EnvAssets+"="), name)
			}
			if diff := cmp.Diff(want, found); diff != "" || from != test.from {
				t.Errorf("from %q, want %q; (-want +got):\n%s", from, test.from, diff)
			}
		})
	}
}
