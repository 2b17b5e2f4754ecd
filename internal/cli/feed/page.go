// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"runtime"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/read/rows"
	"github.com/tristate/tristate/internal/read/server"
	page "github.com/tristate/tristate/internal/read/ui"
)

// Page are the options of [Serve].
type Page struct {
	Address     string
	Hosts       []string
	Open        bool
	Token       string // empty: a random one
	Mode, Title string
}

// Serve serves a fleet to whoever has the address that is printed, until the context ends.
func Serve(ctx context.Context, a *app.App, fleet *rows.Fleet, o Page) error {
	token := o.Token
	if token == "" {
		token = server.NewToken()
	}
	listener, err := server.Listen(o.Address, false)
	if err != nil {
		return err
	}
	host, _, _ := net.SplitHostPort(o.Address)
	handler := server.New(server.Options{Fleet: fleet, Auth: server.Token(token), Version: a.Version, Mode: o.Mode, Title: o.Title,
		Page: page.Files(), Hosts: append(o.Hosts, host), Now: a.Now})
	address := "http://" + listener.Addr().String() + "/?token=" + token
	if _, err := fmt.Fprintln(a.Out, address); err != nil {
		return err
	}
	a.Reportf("open this address in a browser; Ctrl-C ends it")
	if o.Open {
		if err := browse(ctx, address); err != nil {
			a.Reportf("warning: no browser could be opened: %v", err)
		}
	}
	return server.Run(ctx, listener, handler)
}

// browse opens an address in the browser of the user.
func browse(ctx context.Context, address string) error {
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return exec.CommandContext(ctx, command[0], append(command[1:], address)...).Start()
}
