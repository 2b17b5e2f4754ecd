// SPDX-License-Identifier: Apache-2.0

// Package agent is the operator's end of the pull protocol: it registers the cluster, sends heartbeats, fetches and runs jobs, and reports
// every transition of a condition.
//
//	POST /api/agent/register                    bootstrap token -> credential
//	POST /api/agent/credentials/rotate          credential -> credential
//	GET  /api/agent/jobs?cluster=&wait=         long poll
//	POST /api/agent/jobs/{id}/ack|status|result
//	POST /api/agent/events                      heartbeat, transitions
//
// # Rules
//
//  1. Everything is outbound, over HTTPS that is verified. There is no switch to turn that off.
//  2. Three tasks run side by side: heartbeat, jobs, events. Only the heartbeat tries a control plane that does not answer, with a back-off
//     from 2 s to 1 min and jitter; the others wait for it.
//  3. After a 401 or 403 nothing is sent until the credential, the bootstrap token or the rotation annotation changes. After a 401 the
//     credential is read once more, because another process may have rotated it.
//  4. A transition is reported exactly once. Its identity is the event key and the number of the transition in its object, which the
//     control plane deduplicates by. Transitions that the agent took over from the objects and did not deliver yet are kept in a ConfigMap,
//     see [Journal].
//  5. The buffer is bounded. Where it is full the oldest event is dropped and counted.
//  6. A job runs once for each idempotency key, and only before its expiry.
//  7. No token, claim or key appears in an error, an event or a log.
//
// Time and randomness are parameters; a test calls the tasks with a clock of its own.
package agent
