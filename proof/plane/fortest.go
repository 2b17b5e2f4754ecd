// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Environment variables.
const (
	envUseKubeconfig = "TRISTATE_USE_KUBECONFIG"
	envKubeconfig    = "KUBECONFIG"
	envAssets        = "KUBEBUILDER_ASSETS"
	envRequire       = "TRISTATE_REQUIRE_PLANE"
	envSlow          = "TRISTATE_SLOW"
	envSlowTest      = "TRISTATE_SLOW_TEST"
)

// sharing is the control plane that the tests of one package share. A test binary is a process of its own and has no
// other place for it.
type sharing struct {
	once sync.Once
	cfg  *rest.Config
	stop func() error
	err  error
}

var shared sharing

// Main runs the tests of a package, calls the functions, stops the control plane of the tests and exits. For TestMain.
//
// Without it the control plane ends with the test process, some moments later.
func Main(m *testing.M, after ...func()) {
	code := m.Run()
	for _, f := range after {
		f()
	}
	if shared.stop != nil {
		if err := shared.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop the control plane of the tests:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// ForTest returns a copy of the configuration of the control plane that the tests of this process share. The package
// comment has the rules. Client-side rate limits are off.
func ForTest(t testing.TB) *rest.Config {
	t.Helper()
	shared.once.Do(func() { shared.cfg, shared.stop, shared.err = open(os.Getenv) })
	if errors.Is(shared.err, ErrNotBuilt) && os.Getenv(envRequire) != "1" {
		t.Skip(shared.err)
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return rest.CopyConfig(shared.cfg)
}

// NeedControllers skips the test if the control plane of ForTest has no kube-controller-manager.
func NeedControllers(t testing.TB) {
	t.Helper()
	if os.Getenv(envUseKubeconfig) == "" && os.Getenv(envAssets) != "" {
		t.Skip("the control plane of KUBEBUILDER_ASSETS has no kube-controller-manager")
	}
}

// Namespace creates a namespace with a generated name and deletes it, without waiting, when the test ends. Where there are controllers it
// has what these put into each one, so that no object comes during the test that the test did not make.
func Namespace(t testing.TB, cfg *rest.Config) string {
	t.Helper()
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	namespaces := client.CoreV1().Namespaces()
	made, err := namespaces.Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("create a namespace: %v", err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		if err := namespaces.Delete(context.Background(), made.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("delete namespace %s: %v", made.Name, err)
		}
	})
	if os.Getenv(envUseKubeconfig) == "" && os.Getenv(envAssets) != "" {
		return made.Name
	}
	if err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 5*time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().ServiceAccounts(made.Name).Get(ctx, "default", metav1.GetOptions{})
		if err == nil {
			_, err = client.CoreV1().ConfigMaps(made.Name).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
		}
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return true, err
	}); err != nil {
		t.Fatalf("namespace %s: no default account or kube-root-ca.crt: %v", made.Name, err)
	}
	return made.Name
}

// open returns the control plane that the environment asks for, and how to end it.
func open(getenv func(string) string) (*rest.Config, func() error, error) {
	patient()
	if consent := getenv(envUseKubeconfig); consent != "" {
		cfg, err := existing(getenv(envKubeconfig), consent)
		return cfg, nil, err
	}
	if assets := getenv(envAssets); assets != "" {
		env := &envtest.Environment{BinaryAssetsDirectory: assets}
		cfg, err := env.Start()
		if err != nil {
			return nil, nil, fmt.Errorf("control plane of %s=%s: %w", envAssets, assets, errors.Join(err, env.Stop()))
		}
		cfg.QPS = -1
		return cfg, env.Stop, nil
	}
	p, err := Start(context.Background(), Options{})
	if err != nil {
		return nil, nil, err
	}
	return p.Config(), p.Stop, nil
}
