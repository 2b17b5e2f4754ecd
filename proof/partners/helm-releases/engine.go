// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"helm.sh/helm/v4/pkg/action"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/kube"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage/driver"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// engine is Helm for one release.
type engine struct {
	hr     *helmv2.HelmRelease
	config *action.Configuration
}

func newEngine(hr *helmv2.HelmRelease) (*engine, error) {
	flags := genericclioptions.NewConfigFlags(false) // reads KUBECONFIG
	flags.Namespace = &hr.Namespace
	config := action.NewConfiguration(action.ConfigurationSetLogger(slog.DiscardHandler))
	return &engine{hr, config}, config.Init(flags, hr.Namespace, "secret")
}

func (e *engine) timeout() time.Duration { return e.hr.GetTimeout().Duration }

// history returns the releases in the storage of Helm, newest first.
func (e *engine) history() ([]*release.Release, error) {
	list, err := action.NewHistory(e.config).Run(e.hr.GetReleaseName())
	if err != nil && !errors.Is(err, driver.ErrReleaseNotFound) {
		return nil, err
	}
	out := make([]*release.Release, 0, len(list))
	for _, entry := range list {
		r, ok := entry.(*release.Release)
		if !ok {
			return nil, fmt.Errorf("a release is %T", entry)
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *release.Release) int { return cmp.Compare(b.Version, a.Version) })
	return out, nil
}

// latest returns the newest release, or nil.
func (e *engine) latest() (*release.Release, error) {
	all, err := e.history()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

func (e *engine) install(ctx context.Context, c *chart.Chart, values map[string]any) error {
	a := action.NewInstall(e.config)
	a.ReleaseName, a.Namespace, a.PostRenderer = e.hr.GetReleaseName(), e.hr.Namespace, labels(e.hr)
	a.Timeout, a.WaitStrategy = e.timeout(), kube.StatusWatcherStrategy
	_, err := a.RunWithContext(ctx, c, values)
	return err
}

func (e *engine) upgrade(ctx context.Context, c *chart.Chart, values map[string]any) error {
	a := action.NewUpgrade(e.config)
	a.Namespace, a.PostRenderer, a.ResetValues = e.hr.Namespace, labels(e.hr), true
	a.Timeout, a.WaitStrategy = e.timeout(), kube.StatusWatcherStrategy
	_, err := a.RunWithContext(ctx, e.hr.GetReleaseName(), c, values)
	return err
}

// uninstall removes the release and then the finalizer. The release of a HelmRelease that is suspended stays.
func (r *releases) uninstall(ctx context.Context, hr *helmv2.HelmRelease) error {
	if !controllerutil.ContainsFinalizer(hr, helmv2.HelmReleaseFinalizer) {
		return nil
	}
	if !hr.Spec.Suspend {
		e, err := newEngine(hr)
		if err != nil {
			return err
		}
		a := action.NewUninstall(e.config)
		a.Timeout, a.WaitStrategy, a.IgnoreNotFound = e.timeout(), kube.StatusWatcherStrategy, true
		if _, err := a.Run(hr.GetReleaseName()); err != nil {
			return err
		}
	}
	stored := hr.DeepCopy()
	controllerutil.RemoveFinalizer(hr, helmv2.HelmReleaseFinalizer)
	return client.IgnoreNotFound(r.Patch(ctx, hr, client.MergeFrom(stored)))
}

// record takes the history and the objects of the newest release into the status.
func (r *releases) record(e *engine, hr *helmv2.HelmRelease) error {
	all, err := e.history()
	if err != nil || len(all) == 0 {
		return err
	}
	hr.Status.History = nil
	for _, one := range all[:min(len(all), 5)] {
		values, err := json.Marshal(one.Config)
		if err != nil {
			return err
		}
		hr.Status.History = append(hr.Status.History, &helmv2.Snapshot{Name: one.Name, Namespace: one.Namespace, Version: one.Version,
			Status: string(one.Info.Status), ChartName: one.Chart.Metadata.Name, ChartVersion: one.Chart.Metadata.Version,
			Digest: digest([]byte(one.Manifest)), ConfigDigest: digest(values),
			FirstDeployed: metav1.NewTime(one.Info.FirstDeployed), LastDeployed: metav1.NewTime(one.Info.LastDeployed)})
	}
	hr.Status.StorageNamespace = hr.Namespace
	hr.Status.Inventory = &helmv2.ResourceInventory{Entries: []helmv2.ResourceRef{}}
	for decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(all[0].Manifest), 4096); ; {
		u := &unstructured.Unstructured{}
		if err := decoder.Decode(&u.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if u.GetKind() == "" {
			continue
		}
		gvk := u.GroupVersionKind()
		mapping, err := r.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			return err
		}
		if mapping.Scope.Name() == apimeta.RESTScopeNameNamespace && u.GetNamespace() == "" {
			u.SetNamespace(hr.Namespace)
		}
		hr.Status.Inventory.Entries = append(hr.Status.Inventory.Entries, helmv2.ResourceRef{Version: gvk.Version,
			ID: strings.Join([]string{u.GetNamespace(), strings.ReplaceAll(u.GetName(), ":", "__"), gvk.Group, gvk.Kind}, "_")})
	}
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// common puts labels on everything that a chart renders: spec.commonMetadata.
type common map[string]string

func labels(hr *helmv2.HelmRelease) common {
	if hr.Spec.CommonMetadata == nil {
		return nil
	}
	return hr.Spec.CommonMetadata.Labels
}

// Run is the post-renderer of Helm.
func (c common) Run(rendered *bytes.Buffer) (*bytes.Buffer, error) {
	nodes, err := kio.ParseAll(rendered.String())
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		for key, value := range c {
			if err := n.PipeE(kyaml.SetLabel(key, value)); err != nil {
				return nil, err
			}
		}
	}
	text, err := kio.StringAll(nodes)
	return bytes.NewBufferString(text), err
}
