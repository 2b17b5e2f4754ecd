// SPDX-License-Identifier: Apache-2.0

// Package score compares verdict engines with a corpus of objects of asserted health and prints how many answers are right.
//
// # Rules
//
//  1. A corpus is a folder with an index.json: a list of entries with a file, the set it belongs to, and the expected
//     health in the words of Argo CD (Healthy, Progressing, Degraded, Suspended, Missing, Unknown).
//  2. Healthy is Current, Progressing is InProgress, Degraded is Failed or Degraded, Suspended is Suspended or Current,
//     Missing is NotFound, Unknown is Unknown. For an object with a deletion timestamp Terminating is right, too.
//  3. Objects of one API group repeat one another, so the mean over groups is printed next to the plain share.
//
// # The project's own corpus
//
// Every clone has some 2,900 objects with their verdicts: the cases of the rule packs and those of the conventions, written for the
// project. On them the packs are right for 99.9 %, conventions alone for some 86 % (6 % of the broken ones called Current) and kstatus for
// 48 % (84 %). 300 further objects are held out: no rule is made from them, and of half of them only counts are printed.
//
// A report is a value; writing it has no effect on it:
//
//	rows, err := score.Load("corpus", "argocd-lua", time.Now())
//	report := score.Run(new(verdict.Engine), rows, time.Now())
//	report.Write(os.Stdout, true)
package score
