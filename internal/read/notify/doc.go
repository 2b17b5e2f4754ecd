// SPDX-License-Identifier: Apache-2.0

// Package notify sends changes of verdicts to a webhook as CloudEvents. The test receives them with the official
// SDK, whose client would bring 25 packages, a logger among them, into the command for one request.
//
//	hook, err := notify.New(ctx, "https://example.com/hook", notify.Options{Source: "prod"})
//	fleet.OnChange(hook.Changed)
//
// # Rules
//
//  1. The id of an event is the same however often it is sent, so that a receiver can drop repetitions.
//  2. Events about one object are sent in order, one at a time; different objects do not wait for each other.
//  3. What cannot be delivered is tried again after growing pauses, and given up after Options.Attempts: it is counted as dead. An answer
//     that refuses the event itself is not tried again.
//  4. Changing and watching never wait for the receiver: what does not fit into the queue is counted as dead.
//  5. What was there when watching began is no change.
package notify
