// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"debug/buildinfo"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// file is a file of an archive.
type file struct {
	data []byte
	mode int64
}

// archive builds the programs for a platform and packs them with the documents and one SBOM; it returns the name of the archive.
func (r *release) archive(ctx context.Context, p platform, common map[string]file) (string, error) {
	files := maps.Clone(common)
	var infos []*debug.BuildInfo
	for _, name := range slices.Sorted(maps.Keys(r.programs)) {
		binary, err := r.build(ctx, p, r.programs[name])
		if err != nil {
			return "", err
		}
		info, err := buildinfo.Read(bytes.NewReader(binary))
		if err != nil {
			return "", err
		}
		infos = append(infos, info)
		files[p.program(name)] = file{binary, 0o755}
	}
	base := fmt.Sprintf("tristate_%s_%s_%s", strings.TrimPrefix(r.version, "v"), p.os, p.arch)
	bill, err := r.sbom(base, infos)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(r.out, base+".spdx.json"), bill, 0o644); err != nil {
		return "", err
	}
	files["tristate.spdx.json"] = file{bill, 0o644}
	var packed bytes.Buffer
	suffix := ".tar.gz"
	if p.os == "windows" {
		suffix = ".zip"
		err = r.zip(&packed, files)
	} else {
		err = r.tar(&packed, files)
	}
	if err != nil {
		return "", err
	}
	return base + suffix, os.WriteFile(filepath.Join(r.out, base+suffix), packed.Bytes(), 0o644)
}

// build compiles a package of r.programs, without C, paths and symbols.
func (r *release) build(ctx context.Context, p platform, program string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "tristate-release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "tristate")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags",
		"-s -w -X github.com/tristate/tristate/internal/cli.Version="+r.version,
		"-o", out, program)
	cmd.Dir = r.root
	// Settings of a person or a Makefile for go build would be in the bytes. An empty GOFLAGS would be read from the file of go env.
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0", "GOOS="+p.os,
		"GOARCH="+p.arch)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, text)
	}
	return os.ReadFile(out)
}

// tar packs files in the order of their names, all with the time of the release.
func (r *release) tar(out *bytes.Buffer, files map[string]file) error {
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(compressed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: f.mode, Size: int64(len(f.data)), ModTime: r.time,
			Format: tar.FormatPAX}); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

// zip packs files as tar does, for Windows.
func (r *release) zip(out *bytes.Buffer, files map[string]file) error {
	w := zip.NewWriter(out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: r.time}
		header.SetMode(os.FileMode(files[name].mode))
		f, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := f.Write(files[name].data); err != nil {
			return err
		}
	}
	return w.Close()
}
