// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/outbound"
	"github.com/tristate/tristate/operator/program"
	"github.com/tristate/tristate/systems/cells"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"github.com/tristate/tristate/systems/scrape"
	"k8s.io/client-go/rest"
)

// MaxTTLVariable is the environment variable with the longest time of a grant in seconds.
const MaxTTLVariable = "EGRESS_APPROVAL_MAX_TTL_SECONDS"

// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=kars-system,resources=leases,verbs=get;create;update

// Run is the program kars-operator; it ends with the context.
func Run(ctx context.Context, args []string, stderr io.Writer, getenv func(string) string) int {
	o := Options{Settings: kit.Settings{RuntimeImages: map[string]string{}}, Gate: &outbound.Gate{}}
	p := program.New("kars-operator", stderr)
	p.StringVar(&o.Namespace, "namespace", "kars-system", "namespace of the operator")
	p.StringVar(&o.InferenceEndpoint, "inference-endpoint", "", "URL of the models; without it no sandbox runs")
	p.StringVar(&o.MemoryEndpoint, "memory-endpoint", "", "URL of the memory stores")
	p.StringVar(&o.ConfidentialClass, "confidential-class", "", "runtime class of sandboxes whose isolation is confidential; without it "+
		"they do not run")
	p.StringVar(&o.RouterImage, "router-image", "kars-router", "image of the routers")
	p.StringVar(&o.RunnerImage, "runner-image", "kars-eval-runner", "image of the runners of evaluations")
	p.StringVar(&o.PushAddress, "push-address", "", "address at which routers push their status; empty: they are only asked")
	p.StringVar(&o.PushURL, "push-url", "", "URL of that address for the routers")
	p.BoolVar(&o.PlainRegistries, "plain-registries", false, "fetch artifacts over HTTP")
	p.DurationVar(&o.RouterPoll, "router-poll", 0, "time between questions to a router that an object waits for (default 15s)")
	p.Func("quorum", "routers of running sandboxes that have to confirm a policy before it is Ready: one (default) or all",
		func(text string) (err error) {
			o.Quorum, err = kit.ParseQuorum(text)
			return err
		})
	p.Func("conditions", "conditions that are written: complete (default), or document: no cell that the document's tables do not have",
		func(text string) (err error) {
			o.Cells, err = cells.Parse(text)
			return err
		})
	roots := p.String("oidc-ca-file", "", "PEM file with further authorities for OIDC issuers")
	p.Func("runtime-image", "adapter as KIND=IMAGE; repeated", func(text string) error {
		kind, image, ok := strings.Cut(text, "=")
		if !ok || image == "" {
			return fmt.Errorf("%q is not KIND=IMAGE", text)
		}
		o.RuntimeImages[kind] = image
		return nil
	})
	p.Var(o.Gate, "allow-address", outbound.Usage)
	operator.Flags(p.FlagSet, &o.Manager)
	scrape.Flag(p.FlagSet, &o.Manager)
	return p.Run(args, func() error {
		if err := o.environment(*roots, getenv); err != nil {
			return program.Usage(err)
		}
		return operator.Run(ctx, func(config *rest.Config) (*Operator, error) { return New(config, o) })
	})
}

// environment sets the options that come from environment variables and files.
func (o *Options) environment(roots string, getenv func(string) string) error {
	switch strings.ToLower(getenv("REQUIRE_SIGNED_ALLOWLIST")) {
	case "true", "1", "yes", "on":
		o.RequireSigned = true
	}
	if text := getenv(MaxTTLVariable); text != "" {
		ttl, err := time.ParseDuration(text + "s")
		if err != nil || ttl <= 0 {
			return fmt.Errorf("%s=%q is not a number of seconds", MaxTTLVariable, text)
		}
		o.MaxTTL = ttl
	}
	if roots == "" {
		return nil
	}
	pool, err := program.Authorities(roots)
	if err != nil {
		return err
	}
	o.Authorities = pool
	return nil
}
