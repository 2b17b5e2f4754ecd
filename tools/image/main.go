// SPDX-License-Identifier: Apache-2.0

// Command image builds images of programs of this repository without a container engine.
//
//	image -out DIR [-version VERSION] [-platforms OS/ARCH,...] NAME=FOLDER[+FOLDER...]...
//
// Each FOLDER has a main package; DIR/NAME becomes an OCI image layout with an index of the platforms. An image has the static program of
// the first as /NAME and its entry point, those of the others by the names of their folders, the certificate authorities that Mozilla
// trusts, and the user 65532; it has no shell. The same sources give the same digest: files have no times, and the program is compiled with
// -trimpath.
package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

func main() {
	out := flag.String("out", "", "folder of the layouts")
	version := flag.String("version", "v0.0.0-dev", "version of the images")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64", "platforms of each image")
	flag.Parse()
	if err := run(*out, *version, strings.Split(*platforms, ","), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// run makes a layout of each of the programs, which are NAME=FOLDER.
func run(out, version string, platforms, programs []string) error {
	if out == "" || len(programs) == 0 {
		return errors.New("usage: image -out DIR [-version VERSION] [-platforms OS/ARCH,OS/ARCH] NAME=FOLDER[+FOLDER] [NAME=FOLDER]")
	}
	var targets []v1.Platform
	for _, text := range platforms {
		p, err := v1.ParsePlatform(text)
		if err != nil {
			return err
		}
		targets = append(targets, *p)
	}
	for _, p := range programs {
		name, folders, ok := strings.Cut(p, "=")
		if !ok {
			return fmt.Errorf("%q is not NAME=FOLDER", p)
		}
		if err := write(filepath.Join(out, name), name, strings.Split(folders, "+"), version, targets); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// write makes the layout of an image anew.
func write(path, name string, folders []string, version string, platforms []v1.Platform) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range platforms {
		var programs []file
		for i, folder := range folders {
			program, err := compile(folder, version, p)
			if err != nil {
				return err
			}
			as := name
			if i > 0 {
				as = filepath.Base(folder)
			}
			programs = append(programs, file{as, 0o755, program})
		}
		image, err := imageOf(name, version, programs, p)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &p}})
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	whole, err := layout.Write(path, empty.Index)
	if err != nil {
		return err
	}
	return whole.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": version}))
}

// compile returns the program of a main package for a platform.
func compile(folder, version string, p v1.Platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "program")
	c := exec.Command("go", "build", "-C", folder, "-trimpath", "-buildvcs=false", "-ldflags",
		"-s -w -X github.com/tristate/tristate/internal/cli.Version="+version, "-o", file, ".")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Architecture)
	if message, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build for %s: %w\n%s", p, err, message)
	}
	return os.ReadFile(file)
}

// imageOf returns an image with two layers, of which the first is the same for all programs.
func imageOf(name, version string, programs []file, p v1.Platform) (v1.Image, error) {
	var authorities bytes.Buffer
	for root := range bundle.Roots() {
		if err := pem.Encode(&authorities, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	base, err := layer(
		file{"etc/passwd", 0o644, []byte("nonroot:x:65532:65532::/:/sbin/nologin\n")},
		file{"etc/ssl/certs/ca-certificates.crt", 0o644, authorities.Bytes()})
	if err != nil {
		return nil, err
	}
	top, err := layer(programs...)
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.AppendLayers(image, base, top); err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = p.OS, p.Architecture
	config.Config = v1.Config{Entrypoint: []string{"/" + name}, User: "65532:65532", WorkingDir: "/",
		Labels: map[string]string{"org.opencontainers.image.version": version,
			"org.opencontainers.image.source":   "https://github.com/tristate/tristate",
			"org.opencontainers.image.licenses": "Apache-2.0",
			// The registry of MCP servers asks that an image names its entry.
			"io.modelcontextprotocol.server.name": "io.github.tristate/tristate"}}
	return mutate.ConfigFile(image, config)
}

type file struct {
	name    string
	mode    int64
	content []byte
}

// layer returns a compressed layer of files without times.
func layer(files ...file) (v1.Layer, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		err := w.WriteHeader(&tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), Typeflag: tar.TypeReg})
		if err == nil {
			_, err = w.Write(f.content)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
}
