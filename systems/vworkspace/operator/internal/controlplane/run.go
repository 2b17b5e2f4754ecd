// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tristate/tristate/operator/program"
)

// Run is the program vworkspace-controlplane; it ends with the context. It writes the authority of its certificate to DIR/ca.crt and prints
// its URL.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := program.New("vworkspace-controlplane", stderr)
	address := p.String("address", "127.0.0.1:8443", "address of the protocol, over TLS")
	admin := p.String("admin-address", "", "address of the switches, without TLS and users: loopback only; empty: none")
	dir := p.String("dir", ".", "folder that ca.crt is written to")
	token := p.String("bootstrap-token-file", "", "file with the token that clusters register with")
	return p.Run(args, func() error {
		secret, err := os.ReadFile(*token)
		if err != nil {
			return program.Usage(fmt.Errorf("read the bootstrap token: %w", err))
		}
		if *admin != "" && !strings.HasPrefix(*admin, "127.0.0.1:") && !strings.HasPrefix(*admin, "[::1]:") {
			return program.Usage(errors.New("the switches are served on a loopback address only"))
		}
		s, err := New(Options{BootstrapToken: strings.TrimSpace(string(secret))})
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(*dir, "ca.crt"), s.CA(), 0o644); err != nil {
			return err
		}
		if err := s.Up(*address); err != nil {
			return err
		}
		defer s.Down()
		fmt.Fprintln(stdout, s.URL())
		if *admin == "" {
			<-ctx.Done()
			return nil
		}
		server := &http.Server{Addr: *admin, Handler: s.Admin(), ReadHeaderTimeout: 10 * time.Second}
		stop := context.AfterFunc(ctx, func() { _ = server.Close() })
		defer stop()
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
}

// Admin returns the switches:
//
//	PUT  /faults/{endpoint}    a Fault; {} switches it off
//	POST /down, /up            the port is closed; it is open again
//	POST /revoke               ends all credentials
//	POST /jobs/{cluster}       a Job; answers its id
//	GET  /events               the events besides heartbeats
func (s *Server) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /faults/{endpoint}", func(w http.ResponseWriter, r *http.Request) {
		var f Fault
		if read(w, r, &f) {
			s.Fail(r.PathValue("endpoint"), f)
			w.WriteHeader(http.StatusNoContent)
		}
	})
	mux.HandleFunc("POST /down", func(w http.ResponseWriter, _ *http.Request) { s.Down(); w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("POST /up", func(w http.ResponseWriter, _ *http.Request) {
		if err := s.Up(""); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /revoke", func(w http.ResponseWriter, _ *http.Request) { s.Revoke(); w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("POST /jobs/{cluster}", func(w http.ResponseWriter, r *http.Request) {
		var j Job
		if read(w, r, &j) {
			fmt.Fprintln(w, s.Hand(r.PathValue("cluster"), j))
		}
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, _ *http.Request) {
		encoder := json.NewEncoder(w)
		for _, e := range s.Received() {
			if encoder.Encode(e) != nil {
				return // the client is gone
			}
		}
	})
	return mux
}
