// SPDX-License-Identifier: Apache-2.0

// Package statusreader lets tools that wait with kstatus wait with the verdicts of Tristate. It is the plug that the poller and the watcher
// of cli-utils have for it (engine.StatusReader), and with them Helm's SDK, Flux and every program that passes status readers on:
//
//	kube.WithKStatusReaders(statusreader.New(catalog.Engine(own, shipped), mapper))       // Helm 4
//	polling.NewStatusPoller(client, mapper, polling.Options{CustomStatusReaders: readers}) // cli-utils, Flux
//
// kstatus has four words for an object that exists. Current and Suspended are Current, because waiting does not help
// a suspended object. Failed, Degraded and NotFound are Failed. InProgress and Unknown are InProgress. Terminating is
// Terminating. A failure that is found by conventions and words, not by a catalog or a builtin rule, counts after the
// grace, because the controller may try again.
//
// A reader judges one object by itself. It does not look at the pods of a Deployment, as the readers of cli-utils do to explain one.
package statusreader
