// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// TestImages: every image that a chart names is built, is a valid image, and its entry point runs from the unpacked files alone.
func TestImages(t *testing.T) {
	if os.Getenv("TRISTATE_IMAGES") != "1" {
		t.Skip("it links every program; make test-install sets TRISTATE_IMAGES=1")
	}
	out, root := t.TempDir(), filepath.Join("..", "..")
	data, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	var programs []string
	for _, m := range regexp.MustCompile(`([a-z-]+)=(\S*cmd/\S+)`).FindAllStringSubmatch(string(data), -1) {
		programs = append(programs, m[1]+"="+root+"/"+strings.ReplaceAll(m[2], "+", "+"+root+"/"))
	}
	if err := run(out, "v1.2.3", []string{"linux/" + runtime.GOARCH}, programs); err != nil {
		t.Fatal(err)
	}
	for _, manifest := range []string{"deploy/tristate.yaml", "systems/kars/operator/deploy/install.yaml", "systems/vworkspace/operator/deploy/install.yaml",
		"systems/kro/operator/deploy/install.yaml"} {
		data, err := os.ReadFile(filepath.Join(root, manifest))
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`ghcr\.io/tristate/([a-z-]+):`).FindAllStringSubmatch(string(data), -1)
		if len(names) == 0 {
			t.Errorf("%s names no image", manifest)
		}
		for _, m := range names {
			t.Run(m[1], func(t *testing.T) { runs(t, filepath.Join(out, m[1])) })
		}
	}
}

// runs unpacks an image and runs its entry point.
func runs(t *testing.T, path string) {
	whole, err := layout.ImageIndexFromPath(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(whole); err != nil {
		t.Error(err)
	}
	image := imageIn(t, whole)
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Architecture != runtime.GOARCH || config.Config.User != "65532:65532" {
		t.Errorf("the image is for %s and runs as %q", config.Architecture, config.Config.User)
	}
	files := t.TempDir()
	unpack(t, image, files)
	if _, err := os.Stat(filepath.Join(files, "etc/ssl/certs/ca-certificates.crt")); err != nil {
		t.Error(err)
	}
	if filepath.Base(path) == "tristate" { // check --source runs another program
		if _, err := os.Stat(filepath.Join(files, "tristate-scan")); err != nil {
			t.Error(err)
		}
	}
	said, err := exec.Command(filepath.Join(files, config.Config.Entrypoint[0]), "--help").CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() <= 2 {
		err = nil // a usage
	}
	if err != nil || !strings.Contains(string(said), strings.TrimPrefix(config.Config.Entrypoint[0], "/")) {
		t.Errorf("%s --help: %v\n%s", config.Config.Entrypoint, err, said)
	}
}

// imageIn returns the first image of an index, or of an index in it.
func imageIn(t *testing.T, index v1.ImageIndex) v1.Image {
	t.Helper()
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	d := manifest.Manifests[0]
	if d.MediaType.IsIndex() {
		inner, err := index.ImageIndex(d.Digest)
		if err != nil {
			t.Fatal(err)
		}
		return imageIn(t, inner)
	}
	image, err := index.Image(d.Digest)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func unpack(t *testing.T, image v1.Image, folder string) {
	t.Helper()
	stream := mutate.Extract(image)
	defer stream.Close()
	for r := tar.NewReader(stream); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, h.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, os.FileMode(h.Mode)); err != nil {
			t.Fatal(err)
		}
	}
}
