// SPDX-License-Identifier: Apache-2.0

// Package otel turns changes of verdicts into OpenTelemetry log records, with the official SDK. It is a module of its own with a
// program, since the exporter imports gRPC, which the command does without.
//
//	tristate-otel --address 127.0.0.1:8088
//	tristate serve --light --webhook http://127.0.0.1:8088
//
// # Rules
//
//  1. A record is exported before its event is acknowledged. Until the collector has it, the sender keeps the event, sends it again after a
//     pause, and counts it as dead after its last attempt: nothing is acknowledged and lost.
//  2. The sender waits for an answer before it sends the next event about the same object, so the records of an
//     object arrive in order.
//  3. An event that is sent again has the same cloudevents.event_id, by which a backend drops repetitions.
//  4. What is no event of a verdict is refused for good: it is answered 400 and not sent again.
package otel
