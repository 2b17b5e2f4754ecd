// SPDX-License-Identifier: Apache-2.0

// Package history stores how the conditions and verdicts of objects change, in segments of a folder or, where that fails, in memory.
//
//	s := history.Open(dir, history.Options{})
//	defer s.Close()
//	s.Append(history.Record{At: now, Kind: history.Verdict, Object: id, Is: "Failed", Reason: "CrashLoopBackOff"})
//	s.Scan(func(r history.Record) bool { ...; return true })
//
// # Rules
//
//  1. It is never a reason to fail. A folder that cannot be written, or a full disk, is reported by Stats, and records are kept in memory
//     meanwhile.
//  2. A segment is a header and records, each with its length and a CRC-32C. Reading stops at the first record that is cut or changed, and
//     goes on with the next segment: a torn write loses what follows in its own segment only, and a new process never writes into the
//     segment of another.
//  3. Strings that come up again are numbers of a table within their segment, so that a segment can be deleted without the others.
//  4. Whole segments are deleted, the oldest first, when all of them take more than Options.MaxBytes or when one is older than
//     Options.MaxAge.
//  5. A run begins with a record of kind Run, and a living one writes Alive at least every minute: the time between the last record of a
//     run and the next Run is a gap.
//  6. Texts are cut at 256 bytes, and what looks like a secret in them is replaced. Specs and data are never stored.
package history
