// SPDX-License-Identifier: Apache-2.0

// Package scan scans every Go module below a folder with package goscan. It is the program tristate-scan, which the command runs.
package scan

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/tristate/tristate/internal/declare/source"
	"github.com/tristate/tristate/internal/declare/source/goscan"
)

// Folder scans the Go modules of a folder, one after the other: see [goscan.Folders]. Code that cannot be read is an error; a
// folder without Go code has no scans.
func Folder(ctx context.Context, dir string) ([]*source.Scan, error) {
	modules, err := goscan.Folders(dir)
	if err != nil {
		return nil, err
	}
	var out []*source.Scan
	for _, module := range modules {
		s, err := goscan.Scan(ctx, module, goscan.Options{})
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Main is the program: it scans the one folder among its arguments and writes a [source.Answer]. It returns the exit code: 0, 1 with a
// message, or 2 for other arguments.
func Main(args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintf(stderr, "usage: %s FOLDER\nprints what the Go code below a folder writes into conditions, as JSON; tristate check --source and tristate infer --code run it\n", source.Program)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	scans, err := Folder(ctx, args[0])
	if err == nil {
		err = json.NewEncoder(stdout).Encode(source.Answer{Format: source.Format, Scans: scans})
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}
