// SPDX-License-Identifier: Apache-2.0

// A verdict is a symbol, a word and a colour, so that none of them is needed. The symbols are those of the commands.
import type { Row } from "../api.gen";

const symbols: Record<string, string> = {
  Current: "✓", InProgress: "…", Degraded: "!", Failed: "✗", Suspended: "–", Terminating: "…", NotFound: "✗", Unknown: "?",
};

/** worstFirst is the order of verdicts wherever they are listed. */
export const worstFirst = ["Failed", "NotFound", "Degraded", "Unknown", "Terminating", "InProgress", "Suspended", "Current"];

export const symbolOf = (verdict: string, overdue = false) => (overdue ? "!" : (symbols[verdict] ?? "?"));

const tone = (verdict: string) => (verdict in symbols ? verdict.toLowerCase() : "unknown");

export function Verdict({ verdict, overdue = false, compact = false }: { verdict: string; overdue?: boolean; compact?: boolean }) {
  return (
    <span class={`verdict v-${tone(verdict)}`}>
      <span class="symbol" aria-hidden="true">{symbolOf(verdict, overdue)}</span>
      <span class={compact ? "unseen" : "word"}>{verdict}</span>
      {overdue && <span class="overdue">overdue</span>}
    </span>
  );
}

/** Flapping marks an object whose verdict changed again and again. */
export function Marks({ row }: { row: Pick<Row, "flapping" | "staleSince"> }) {
  return (
    <>
      {row.flapping && <span class="mark flapping" title="its verdict changed again and again">⇅<span class="word"> flapping</span></span>}
      {row.staleSince && <span class="mark" title="its cluster does not answer">as of {row.staleSince.slice(11, 19)}Z</span>}
    </>
  );
}
