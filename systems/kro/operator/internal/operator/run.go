// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/kubernetes-sigs/kro/pkg/features"
	krometrics "github.com/kubernetes-sigs/kro/pkg/metrics"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/program"
	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	"github.com/tristate/tristate/systems/kro/operator/internal/instance"
	"github.com/tristate/tristate/systems/kro/operator/internal/migrate"
	"github.com/tristate/tristate/systems/scrape"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/yaml"
)

// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=kro-system,resources=leases,verbs=get;create;update

// without are the flags of kro 0.9.4 that are accepted, so that its command line starts this program as well, and that have no effect: they
// are about its queues, its way of waiting and its log.
var without = []string{
	"graceful-shutdown-timeout", "resource-graph-definition-concurrent-reconciles", "graph-revision-concurrent-reconciles",
	"dynamic-controller-rate-limiter-min-delay", "dynamic-controller-rate-limiter-max-delay", "dynamic-controller-rate-limiter-rate-limit",
	"dynamic-controller-rate-limiter-burst-limit", "instance-requeue-interval", "dynamic-controller-default-resync-period",
	"dynamic-controller-default-queue-max-retries", "rgd-progress-requeue-delay",
	"leader-election-lease-duration", "leader-election-renew-deadline", "leader-election-retry-period",
	"enable-controller-warmup", "pprof-bind-address", "zap-devel", "zap-encoder", "zap-log-level", "zap-stacktrace-level", "zap-time-encoding",
}

// Run is the program kro-operator; it ends with the context. made are called with the operator before it starts. It returns an exit code of
// package program.
func Run(ctx context.Context, args []string, stderr io.Writer, made ...func(*Operator)) int {
	ctrl.SetLogger(klog.Background()) // before a migration, too
	if len(args) > 0 && args[0] == "migrate" {
		return convert(ctx, args[1:], stderr)
	}
	var o Options
	flags := program.New("kro-operator", stderr)
	flags.IntVar(&o.Workers, "workers", 4, "instances that are reconciled at a time")
	qps := flags.Float64("client-qps", 100, "requests a second, on average; below 0: no limit")
	flags.IntVar(&o.Burst, "client-burst", 0, "requests at once; 0: half as many again as a second's")
	flags.Func("graph-ready", "what ResourceGraphReady of a definition is about: resources (default), those of all its instances; or graph, "+
		"as in kro", func(text string) error {
		if text != "resources" && text != "graph" {
			return fmt.Errorf("%q is neither resources nor graph", text)
		}
		o.GraphOnly = text == "graph"
		return nil
	})
	flags.Func("readiness", "how an object counts whose controller says nothing or that is switched off, unless its definition chooses: "+
		"strict (default), it is waited for; or kro, it is ready", func(text string) (err error) {
		o.Readiness, err = declare.ParseReadiness(text)
		return err
	})
	flags.Func("adopt", "which objects that exist already an instance takes over: never; labelled (default), those with the label "+
		instance.LabelAdopt+"=true; or always, as kro", func(text string) (err error) {
		o.Adopt, err = instance.ParseAdopt(text)
		return err
	})
	flags.BoolVar(&o.DeleteKinds, "allow-crd-deletion", false, "delete the CustomResourceDefinition with its definition, and with it every "+
		"instance; needs a role that may")
	operator.Flags(flags.FlagSet, &o.Manager)
	scrape.Flag(flags.FlagSet, &o.Manager)
	flags.StringVar(&o.Manager.LeaderElectionNamespace, "leader-election-namespace", "", "namespace of the lease; empty: that of the pod")
	o.Limits = Limits
	flags.IntVar(&o.Limits.MaxCollectionSize, "rgd-max-collection-size", o.Limits.MaxCollectionSize,
		"objects that one collection of a definition may have")
	flags.IntVar(&o.Limits.MaxCollectionDimensionSize, "rgd-max-collection-dimension-size", o.Limits.MaxCollectionDimensionSize,
		"as with kro: the limit of the dimensions of a forEach")
	flags.IntVar(&o.Revisions, "rgd-max-graph-revisions", 5, "GraphRevisions of a definition that are kept; 0: all")
	flags.Func("feature-gates", "feature gates of kro, such as CELOmitFunction=true, which permits omit(); InstanceConditionEvents has "+
		"no effect", features.FeatureGate.Set)
	flags.IntVar(&o.Workers, "dynamic-controller-concurrent-reconciles", 4, "kro's name of --workers")
	flags.StringVar(&o.Manager.HealthProbeBindAddress, "health-probe-bind-address", ":8081", "kro's name of --health-address")
	flags.StringVar(&o.Manager.Metrics.BindAddress, "metrics-bind-address", ":8080", "kro's name of --metrics-address")
	for _, name := range without {
		register := flags.Func
		if slices.Contains([]string{"enable-controller-warmup", "zap-devel"}, name) { // they need no value
			register = flags.BoolFunc
		}
		register(name, "a flag of kro that has no effect here", func(string) error {
			fmt.Fprintf(stderr, "kro-operator: --%s of kro has no effect here\n", name)
			return nil
		})
	}
	return flags.Run(args, func() error {
		o.QPS = float32(*qps)
		if o.Revisions == 0 {
			o.Revisions = -1
		}
		metricsOfKro() // before the first client
		return operator.Run(ctx, func(config *rest.Config) (*Operator, error) {
			operator, err := New(config, o)
			for _, f := range made {
				if err == nil {
					f(operator)
				}
			}
			return operator, err
		})
	})
}

// metricsOfKro adds kro's metrics to those of the program, once in a process.
var metricsOfKro = sync.OnceFunc(func() { krometrics.Register(metrics.Registry) })

// convert is kro-operator migrate; see package migrate.
func convert(ctx context.Context, args []string, stderr io.Writer) int {
	flags := program.New("kro-operator migrate", stderr)
	file := flags.String("definition", "", "file with the CustomResourceDefinition to install: the operator's, or kro's to go back")
	return flags.Run(args, func() error {
		if *file == "" || flags.NArg() > 0 {
			return program.Usage(errors.New("--definition FILE is needed, and nothing else"))
		}
		n, err := migration(ctx, *file)
		if err == nil {
			fmt.Fprintf(stderr, "%s is installed, %d definitions were rewritten\n", *file, n)
		}
		return err
	})
}

func migration(ctx context.Context, file string) (int, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	crd := &apiext.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, crd); err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return 0, fmt.Errorf("find the cluster: %w", err)
	}
	scheme, err := Scheme()
	if err != nil {
		return 0, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return 0, err
	}
	return migrate.Run(ctx, c, crd, time.Now())
}
