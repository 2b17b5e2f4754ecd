// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	if os.Getenv(envUseKubeconfig)+os.Getenv(envAssets) != "" {
		t.Skip("another control plane may have another version")
	}
	client, err := kubernetes.NewForConfig(ForTest(t))
	if err != nil {
		t.Fatal(err)
	}
	info, err := client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if want := "v1.36."; !strings.HasPrefix(info.GitVersion, want) || info.Major != "1" || info.Minor != "36" {
		t.Errorf("version: want %s*, 1, 36; got %s, %s, %s", want, info.GitVersion, info.Major, info.Minor)
	}
}

// Two field managers apply conditions to one status; the server merges them by type.
func TestServerSideApplyToCustomResource(t *testing.T) {
	t.Parallel()
	cfg := ForTest(t)
	namespace := Namespace(t, cfg)
	resource := createCRD(t, cfg, "applied."+namespace+".example.com")
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	objects := client.Resource(resource).Namespace(namespace)
	object := func(condition map[string]any) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{}}
		o.SetAPIVersion(resource.GroupVersion().String())
		o.SetKind("Thing")
		o.SetName("one")
		if condition != nil {
			o.Object["status"] = map[string]any{"conditions": []any{condition}}
		}
		return o
	}
	eventually(t, func(ctx context.Context) error {
		_, err := objects.Create(ctx, object(nil), metav1.CreateOptions{})
		return err
	})
	for _, kind := range []string{"Ready", "Available"} {
		condition := map[string]any{"type": kind, "status": "True"}
		_, err := objects.ApplyStatus(t.Context(), "one", object(condition), metav1.ApplyOptions{FieldManager: "manager-" + kind})
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := objects.Get(t.Context(), "one", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"conditions": []any{
		map[string]any{"type": "Ready", "status": "True"},
		map[string]any{"type": "Available", "status": "True"},
	}}
	if diff := cmp.Diff(want, got.Object["status"]); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}

func TestControllers(t *testing.T) {
	t.Parallel()
	cfg := ForTest(t)
	NeedControllers(t)
	namespace := Namespace(t, cfg)
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"app": "web"}
	_, err = client.AppsV1().Deployments(namespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "example.com/web"}}},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		sets, err := client.AppsV1().ReplicaSets(namespace).List(ctx, metav1.ListOptions{})
		if err != nil || len(sets.Items) != 1 {
			return fmt.Errorf("want 1 replica set: %w", err)
		}
		pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil || len(pods.Items) != 1 || pods.Items[0].Status.Phase != corev1.PodPending {
			return fmt.Errorf("want 1 pending pod: %w", err)
		}
		return nil
	})

	// The garbage collector removes what the deployment owned.
	if err := client.AppsV1().Deployments(namespace).Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		sets, err := client.AppsV1().ReplicaSets(namespace).List(ctx, metav1.ListOptions{})
		if err != nil || len(sets.Items) != 0 {
			return fmt.Errorf("want no replica set: %w", err)
		}
		return nil
	})
}

func TestNamespaceDeletion(t *testing.T) {
	t.Parallel()
	cfg := ForTest(t)
	NeedControllers(t)
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	t.Run("use", func(t *testing.T) {
		name = Namespace(t, cfg)
		_, err := client.CoreV1().ConfigMaps(name).Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "settings"},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	})
	eventually(t, func(ctx context.Context) error {
		_, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("namespace %s: want not found, got %v", name, err)
		}
		return nil
	})
}

// createCRD creates a kind Thing with a condition list in a group and waits until it is served.
func createCRD(t *testing.T, cfg *rest.Config, group string) schema.GroupVersionResource {
	t.Helper()
	client, err := apiextensions.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	listType := "map"
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "things." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Thing", ListKind: "ThingList", Plural: "things", Singular: "thing"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{"status": {
						Type: "object",
						Properties: map[string]apiextensionsv1.JSONSchemaProps{"conditions": {
							Type: "array", XListType: &listType, XListMapKeys: []string{"type"},
							Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{
								Type: "object", Required: []string{"type"},
								Properties: map[string]apiextensionsv1.JSONSchemaProps{"type": text, "status": text},
							}},
						}},
					}},
				}},
			}},
		},
	}
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	if _, err := crds.Create(t.Context(), crd, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = crds.Delete(context.Background(), crd.Name, metav1.DeleteOptions{}) })
	return schema.GroupVersionResource{Group: group, Version: "v1", Resource: "things"}
}
