// SPDX-License-Identifier: Apache-2.0

package program

import (
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// Exit codes.
const (
	ExitFine   = 0
	ExitUsage  = 2 // the command line is wrong, or a file that it names
	ExitFailed = 3
)

// Program is a command with its flags. Make one with [New].
type Program struct{ *flag.FlagSet }

// New returns a program that has no flags yet and reports errors to stderr.
func New(name string, stderr io.Writer) Program {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	return Program{flags}
}

// Run parses the arguments and calls run. It reports an error under the name of the program, and returns the exit code: ExitUsage for one
// of [Usage], ExitFailed for any other.
func (p Program) Run(args []string, run func() error) int {
	switch err := p.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return ExitFine
	case err != nil:
		return ExitUsage
	}
	err := run()
	if err == nil {
		return ExitFine
	}
	fmt.Fprintf(p.Output(), "%s: %v\n", p.Name(), err)
	if errors.As(err, new(usage)) {
		return ExitUsage
	}
	return ExitFailed
}

// Usage marks an error as one of the command line.
func Usage(err error) error { return usage{err} }

type usage struct{ error }

// Authorities returns the certificate authorities of the system and those of a PEM file.
func Authorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", file)
	}
	return pool, nil
}
