// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/cluster"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
)

// clusterFlags choose a cluster, a namespace and objects, with the flags of kubectl.
type clusterFlags struct {
	connection *genericclioptions.ConfigFlags // without context and namespace; nil: the defaults
	context    string
	contexts   []string // all that were given; context is the last
	namespace  string
	all        bool
	selector   string
	data       bool // see cluster.Options.Data
}

// addConnection adds the flags that choose a cluster and who asks it.
func (f *clusterFlags) addConnection(flags *pflag.FlagSet) {
	f.connection = genericclioptions.NewConfigFlags(false).WithDeprecatedPasswordFlag()
	f.connection.Context, f.connection.Namespace, f.connection.CacheDir = nil, nil, nil
	before := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.connection.AddFlags(before)
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
	for name, value := range map[string]string{"cache-dir": "", "log-flush-frequency": "5s", "profile": "none", "profile-output": "profile.pprof", "vmodule": ""} {
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

func (f *clusterFlags) add(flags *pflag.FlagSet) {
	f.addConnection(flags)
	flags.Var((*contextFlag)(f), "context", "context of the kubeconfig; several, repeated or separated by commas, are asked at once")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace (default: that of the context)")
	flags.BoolVarP(&f.all, "all-namespaces", "A", false, "every namespace")
	flags.StringVarP(&f.selector, "selector", "l", "", "label selector")
}

// contextFlag is --context, which may be given more than once.
type contextFlag clusterFlags

// String is a method of pflag.Value.
func (f *contextFlag) String() string { return strings.Join(f.contexts, ",") }

// Type is a method of pflag.Value.
func (f *contextFlag) Type() string { return "string" }

// Set is a method of pflag.Value.
func (f *contextFlag) Set(text string) error {
	for _, name := range strings.Split(text, ",") {
		f.context = name
		if !slices.Contains(f.contexts, name) {
			f.contexts = append(f.contexts, name)
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

// config returns the client configuration and the namespace. What is wrong with it is wrong usage: no server was asked.
func (f *clusterFlags) config() (*rest.Config, string, error) {
	flags := f.flags()
	loader := flags.ToRawKubeConfigLoader()
	raw, err := loader.RawConfig()
	if err == nil && clientcmdapi.IsConfigEmpty(&raw) && *flags.APIServer == "" && os.Getenv("KUBERNETES_SERVICE_HOST")+os.Getenv("KUBERNETES_MASTER") == "" {
		err = errors.New("none found, and this is not a pod: name one with --kubeconfig or KUBECONFIG, or read files with -f")
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
	if f.namespace != "" {
		namespace = f.namespace
	}
	if f.all {
		namespace = ""
	}
	return config, namespace, nil
}

// flags are those of kubectl for the context of f. Nothing of them is kept between calls, since several contexts are asked at once.
func (f *clusterFlags) flags() *genericclioptions.ConfigFlags {
	out := genericclioptions.NewConfigFlags(false)
	if c := f.connection; c != nil {
		out.KubeConfig, out.ClusterName, out.AuthInfoName, out.APIServer, out.TLSServerName = c.KubeConfig, c.ClusterName, c.AuthInfoName, c.APIServer, c.TLSServerName
		out.Insecure, out.CertFile, out.KeyFile, out.CAFile, out.BearerToken = c.Insecure, c.CertFile, c.KeyFile, c.CAFile, c.BearerToken
		out.Impersonate, out.ImpersonateUID, out.ImpersonateGroup, out.ImpersonateUserExtra = c.Impersonate, c.ImpersonateUID, c.ImpersonateGroup, c.ImpersonateUserExtra
		out.Timeout, out.DisableCompression = c.Timeout, c.DisableCompression
		if *c.Username+*c.Password != "" { // with these flags the loader asks for what is missing
			out.Username, out.Password = c.Username, c.Password
		}
	}
	out.Context = &f.context
	return out
}

// connect makes a reader of the cluster that flags choose. It lasts as long as ctx.
func (a *App) connect(ctx context.Context, f *clusterFlags) (*cluster.Cluster, error) {
	if _, err := labels.Parse(f.selector); err != nil {
		return nil, usagef("--selector: %w", err)
	}
	config, namespace, err := f.config()
	if err != nil {
		return nil, err
	}
	return cluster.Connect(ctx, config, cluster.Options{Namespace: namespace, Selector: f.selector, Data: f.data,
		Warn: func(warning string) { fmt.Fprintf(a.Err, "%s: warning: %s\n", a.Name, warning) }})
}

// namesOf converts what stands on the command line.
func namesOf(targets []target) []cluster.Target {
	out := make([]cluster.Target, len(targets))
	for i, t := range targets {
		out[i] = cluster.Target(t)
	}
	return out
}
