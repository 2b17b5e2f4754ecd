// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
)

// Connection chooses a cluster, a namespace and objects, with the flags of kubectl.
type Connection struct {
	kubeconfig string
	overrides  clientcmd.ConfigOverrides // without context and namespace
	extra      []string                  // key=value of the impersonated user

	Context       string
	Contexts      []string // all that were given; Context is the last
	Namespace     string
	AllNamespaces bool
	Selector      string
	Data          bool // see cluster.Options.Data
}

// AddServer adds the flags that choose a cluster and a user of it.
func (f *Connection) AddServer(flags *pflag.FlagSet) {
	before := pflag.NewFlagSet("", pflag.ContinueOnError)
	before.StringVar(&f.kubeconfig, "kubeconfig", "", "")
	before.StringArrayVar(&f.extra, "as-user-extra", nil, "")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	names.CurrentContext, names.ContextOverrideFlags.Namespace = clientcmd.FlagInfo{}, clientcmd.FlagInfo{} // which Add has
	names.ClusterOverrideFlags.ProxyURL = clientcmd.FlagInfo{}                                              // kubectl does not have it
	clientcmd.BindOverrideFlags(&f.overrides, before, names)
	usage := map[string]string{
		"kubeconfig":      "kubeconfig file (default: KUBECONFIG, then ~/.kube/config, then the service account of the pod)",
		"server":          "address of the API server",
		"user":            "user of the kubeconfig",
		"as":              "user to impersonate",
		"token":           "bearer token",
		"request-timeout": "how long one request may take, such as 5s; 0 is without limit",
	}
	before.VisitAll(func(g *pflag.Flag) {
		if text, shown := usage[g.Name]; shown {
			g.Usage = text
		} else {
			g.Hidden = true
		}
	})
	flags.AddFlagSet(before)
	// flags of kubectl about itself, which change nothing here
	for name, value := range map[string]string{"cache-dir": "", "log-flush-frequency": "5s", "profile": "none",
		"profile-output": "profile.pprof", "vmodule": ""} {
		flags.String(name, value, "accepted as by kubectl; it changes nothing")
		_ = flags.MarkHidden(name) // which fails only for a flag that does not exist
	}
	for _, name := range []string{"match-server-version", "warnings-as-errors"} {
		flags.Bool(name, false, "accepted as by kubectl; it changes nothing")
		_ = flags.MarkHidden(name)
	}
	flags.VarP(verbosity{}, "v", "v", "log level of the client: 6 shows requests, 8 their content too")
	flags.Lookup("kubeconfig").Usage += "; kubectl's other connection flags are accepted as well"
}

// Add adds the flags of AddServer, and those that choose contexts, a namespace and labels.
func (f *Connection) Add(flags *pflag.FlagSet) {
	f.AddServer(flags)
	flags.Var((*contextFlag)(f), "context", "context of the kubeconfig; several, repeated or separated by commas, are asked at once")
	flags.StringVarP(&f.Namespace, "namespace", "n", "", "namespace (default: that of the context)")
	flags.BoolVarP(&f.AllNamespaces, "all-namespaces", "A", false, "every namespace")
	flags.StringVarP(&f.Selector, "selector", "l", "", "label selector")
}

// contextFlag is --context, which may be given more than once.
type contextFlag Connection

// String is a method of pflag.Value.
func (f *contextFlag) String() string { return strings.Join(f.Contexts, ",") }

// Type is a method of pflag.Value.
func (f *contextFlag) Type() string { return "string" }

// Set is a method of pflag.Value.
func (f *contextFlag) Set(text string) error {
	for _, name := range strings.Split(text, ",") {
		f.Context = name
		if !slices.Contains(f.Contexts, name) {
			f.Contexts = append(f.Contexts, name)
		}
	}
	return nil
}

// verbosity is -v: from level 1 on client-go writes its log to standard error.
type verbosity struct{}

// String is a method of pflag.Value.
func (verbosity) String() string { return "0" }

// Type is a method of pflag.Value.
func (verbosity) Type() string { return "level" }

// Set is a method of pflag.Value.
func (verbosity) Set(text string) error {
	if _, err := strconv.ParseUint(text, 10, 8); err != nil {
		return fmt.Errorf("%q is not a log level: use 0 to 10", text)
	}
	log := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(log)
	klog.ClearLogger()
	return log.Set("v", text)
}

// Config returns the client configuration and the namespace, empty for every one. It sends no request: an error is one of usage.
func (f *Connection) Config() (*rest.Config, string, error) {
	loader := f.loader()
	raw, err := loader.RawConfig()
	if err == nil && clientcmdapi.IsConfigEmpty(&raw) && f.overrides.ClusterInfo.Server == "" && os.Getenv("KUBERNETES_SERVICE_HOST")+
		os.Getenv("KUBERNETES_MASTER") == "" {
		err = errors.New("none found, and this is not a pod: name one with --kubeconfig or KUBECONFIG, or read files with -f")
		if path := os.Getenv(clientcmd.RecommendedConfigPathEnvVar); path != "" {
			err = fmt.Errorf("KUBECONFIG is %s, which does not exist or is empty: name another one, or read files with -f", path)
		}
	}
	if err != nil {
		return nil, "", fmt.Errorf("kubeconfig: %w", err)
	}
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, "", fmt.Errorf("kubeconfig: %w", err)
	}
	config.QPS = -1
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, "", fmt.Errorf("kubeconfig: %w", err)
	}
	if f.Namespace != "" {
		namespace = f.Namespace
	}
	if f.AllNamespaces {
		namespace = ""
	}
	return config, namespace, nil
}

// loader reads the kubeconfig for the context of f. Nothing is kept between calls, since several contexts are read at once.
func (f *Connection) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.DefaultClientConfig, rules.ExplicitPath = &clientcmd.DefaultClientConfig, f.kubeconfig
	o := f.overrides
	o.ClusterDefaults, o.CurrentContext = clientcmd.ClusterDefaults, f.Context
	for _, text := range f.extra {
		if key, value, ok := strings.Cut(text, "="); ok {
			if o.AuthInfo.ImpersonateUserExtra == nil {
				o.AuthInfo.ImpersonateUserExtra = map[string][]string{}
			}
			o.AuthInfo.ImpersonateUserExtra[key] = append(o.AuthInfo.ImpersonateUserExtra[key], value)
		}
	}
	if o.AuthInfo.Username+o.AuthInfo.Password != "" { // then the loader asks for the missing one
		return clientcmd.NewInteractiveDeferredLoadingClientConfig(rules, &o, os.Stdin)
	}
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &o)
}

// Connect makes a reader of the cluster that the flags choose, which lasts as long as ctx. Warnings of the server are reported to a.
func (f *Connection) Connect(ctx context.Context, a *app.App) (*cluster.Cluster, error) {
	if _, err := labels.Parse(f.Selector); err != nil {
		return nil, exit.Usagef("--selector: %w", err)
	}
	controller.ProbeConnections() // a server that is frozen closes nothing
	config, namespace, err := f.Config()
	if err != nil {
		return nil, err
	}
	return cluster.Connect(ctx, config, cluster.Options{Namespace: namespace, Selector: f.Selector, Data: f.Data,
		Warn: func(warning string) { a.Reportf("warning: %s", warning) }})
}
