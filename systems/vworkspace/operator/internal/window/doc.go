// SPDX-License-Identifier: Apache-2.0

// Package window has maintenance windows: when they are open, and when that changes next.
//
//   - {schedule: "0 2 * * 6", duration: 2h, timeZone: Europe/Berlin}       every Saturday from two to four
//   - {start: 2026-12-24T18:00:00Z, end: 2026-12-27T06:00:00Z}             once
//
// # Rules
//
//  1. A window contains its start and does not contain its end.
//  2. A schedule is a cron expression of five fields in a time zone, UTC unless set. A start that a clock change skips does not happen that
//     day; one that it repeats happens once.
//  3. Duration is elapsed time: a window of two hours over a clock change is two hours long.
//  4. Windows that overlap or touch are one.
//  5. A schedule opens at most every minute and a duration is at most a week.
package window
