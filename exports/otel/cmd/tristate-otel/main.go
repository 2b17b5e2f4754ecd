// SPDX-License-Identifier: Apache-2.0

// Command tristate-otel passes changes of verdicts from tristate serve --webhook on to an OpenTelemetry collector, as log records
// over OTLP and HTTP. The receiver is set by the variables of the OTLP exporter, such as OTEL_EXPORTER_OTLP_ENDPOINT and
// OTEL_EXPORTER_OTLP_HEADERS, and what the records are about by
// OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tristate/tristate/exports/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/sdk/resource"
)

func main() {
	address := flag.String("address", "127.0.0.1:8088",
		"take events on host:port; there is no sign-in, so keep it on this machine or in this pod")
	flag.Parse()
	if err := run(*address); err != nil {
		fmt.Fprintln(os.Stderr, "tristate-otel:", err)
		os.Exit(1)
	}
}

func run(address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The sender of events tries again; its attempts would run into those of the exporter.
	exporter, err := otlploghttp.New(ctx, otlploghttp.WithRetry(otlploghttp.RetryConfig{}))
	if err != nil {
		return err
	}
	about, err := resource.Merge(resource.NewSchemaless(attribute.String("service.name", "tristate")), resource.Environment())
	if err != nil {
		return err
	}
	handler, err := otel.Handler(exporter, about)
	if err != nil {
		return err
	}
	server := &http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = server.Shutdown(last)
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return exporter.Shutdown(context.Background())
}
