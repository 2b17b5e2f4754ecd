// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/source"
)

// release is one release.
type release struct {
	version   string // vX.Y.Z
	commit    string
	time      time.Time // of the commit
	root, out string
	tagged    bool              // the commit has the tags of the version
	programs  map[string]string // the packages that are built, by the name of the program
	platforms []platform
}

// platform is an operating system and an architecture, in Go's words.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// program returns the name of the file of a program.
func (p platform) program(name string) string {
	if p.os == "windows" {
		return name + ".exe"
	}
	return name
}

const allPlatforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	version := flag.String("version", "v0.0.0-dev", "version of the release, vX.Y.Z")
	out := flag.String("out", "dist", "directory to write to; what is in it is removed")
	platforms := flag.String("platforms", allPlatforms, "platforms to build for")
	prepared := flag.Bool("prepare", false, "only make the modules require each other in the version; commit and tag after it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	programs := map[string]string{"tristate": "./cmd/tristate", source.Program: "./cmd/" + source.Program}
	r := &release{root: ".", programs: programs, version: *version, out: *out, tagged: *version != "v"+development}
	do := func() error { return run(ctx, r, *platforms) }
	if *prepared {
		do = func() error { return prepare(r.root, r.version) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var versions = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func run(ctx context.Context, r *release, platforms string) error {
	if !versions.MatchString(r.version) {
		return fmt.Errorf("-version %q: want vX.Y.Z", r.version)
	}
	for _, word := range strings.Split(platforms, ",") {
		system, arch, ok := strings.Cut(word, "/")
		if !ok {
			return fmt.Errorf("-platforms %q: want os/arch", word)
		}
		r.platforms = append(r.platforms, platform{system, arch})
	}
	if err := r.source(ctx); err != nil {
		return err
	}
	if r.tagged {
		if err := r.verify(ctx); err != nil {
			return err
		}
	}
	return r.make(ctx)
}

// source reads the commit that is built. SOURCE_DATE_EPOCH overrides its time, and replaces it where there is no git.
func (r *release) source(ctx context.Context) error {
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
		r.time = time.Unix(seconds, 0).UTC()
	}
	text, err := r.git(ctx, "log", "-1", "--format=%H %ct")
	switch {
	case err != nil && r.time.IsZero():
		return fmt.Errorf("find the commit: %w; set SOURCE_DATE_EPOCH to build without git", err)
	case err != nil:
		return nil
	}
	hash, seconds, _ := strings.Cut(text, " ")
	r.commit = hash
	if r.time.IsZero() {
		n, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return fmt.Errorf("the time of the commit: %w", err)
		}
		r.time = time.Unix(n, 0).UTC()
	}
	return nil
}

// make writes the files of the release.
func (r *release) make(ctx context.Context) error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	common, err := r.documents()
	if err != nil {
		return err
	}
	archives := map[platform]string{}
	for _, p := range r.platforms {
		start := time.Now()
		name, err := r.archive(ctx, p, common)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		archives[p] = name
		fmt.Printf("%-40s %s\n", name, time.Since(start).Round(time.Second))
	}
	if err := r.deployment(); err != nil {
		return err
	}
	sums, err := checksums(r.out)
	if err != nil {
		return err
	}
	if err := errors.Join(r.krew(archives, sums), r.formula(archives, sums)); err != nil {
		return err
	}
	if sums, err = checksums(r.out); err != nil {
		return err
	}
	return errors.Join(r.provenance(sums), writeSums(filepath.Join(r.out, "checksums.txt"), sums))
}
