// SPDX-License-Identifier: Apache-2.0

// Package check is the framework of the checks that compare catalogs, definitions, code, documents and objects with the contract of
// conditions.
//
// A [Check] is a value: id, title, why it matters, documentation with a failing and a passing example, the evidence that it needs, and one
// function. The function reads from its [Pass] only, so a check has no clock, no file system and no client. The checks are in the packages
// below this one, one package a family, and package all joins them.
//
// Rules:
//
//  1. A check runs where the evidence that it needs exists. Otherwise its outcome is skipped, and the report names the missing evidence.
//  2. Ids are family/slug. They are never renamed and never used for something else: package all has the registry with the retired ones.
//  3. An error is a violated contract. A warning is a convention, or a question that the evidence at hand cannot decide. Info is an
//     improvement.
//  4. A finding is identified by check and subject: its [Finding.Fingerprint] does not depend on message, file or line. Exceptions and
//     baselines match by that, never by text.
//  5. An exception has an owner, a reason and a last day. An expired one is an error, an unused one a warning.
//  6. A baseline makes findings known, which do not fail. Entries that are not found any more are reported: it can only shrink.
//  7. Kinds are declared closed: a name that the catalog does not declare is a finding. A property that the catalog does not declare of a
//     name is unknown, and no finding.
//
// It prints nothing (package report does), reads no file (package evidence does), and judges no object (package verdict does).
//
// To add a check to a family: a value in the list All of its package, and an archive doc/SLUG.txtar in its folder. The test of the family
// with -update writes the findings of the failing example into the archive, the test of package all the page and the id. A new family also
// has a line in package all.
//
//	report := check.Run(evidence, all.Checks, check.Options{Now: now})
//	os.Stdout.Write(report.Text(r, files))
package check
