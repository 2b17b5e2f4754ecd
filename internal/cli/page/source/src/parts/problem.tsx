// SPDX-License-Identifier: Apache-2.0

// What could not be read, and what the reader may not see. An empty list never hides either.
import type { Hidden, Problem as Unread } from "../api.gen";
import type { Refused } from "../state/api";
import { clean } from "./text";

export function Problem({ error }: { error: Refused }) {
  const words: Record<string, string> = {
    Forbidden: "You may not see this",
    NotFound: "There is no such object",
    Unavailable: "The clusters are still being read",
    Unreachable: "The server does not answer",
    Unauthorized: "You are not signed in",
  };
  return (
    <div class="problem" role="alert">
      <strong>{words[error.code] ?? "This could not be read"}</strong>
      <p>{clean(error.message)}</p>
    </div>
  );
}

const where = (h: Hidden) => [h.resource, h.namespace ? `in ${h.namespace}` : "", h.cluster ? `of ${h.cluster}` : ""].filter(Boolean).join(" ");

/** Unseen says what is missing from an answer: a list that is empty because of it is not an empty cluster. */
export function Unseen({ answer }: { answer: { unread?: Unread[]; hidden?: Hidden[] } | null }) {
  const hidden = answer?.hidden ?? [], unread = answer?.unread ?? [];
  if (!hidden.length && !unread.length) return null;
  return (
    <details class="unseen-parts">
      <summary>
        {hidden.length > 0 && <span>You may not see all {hidden.length === 1 ? clean(where(hidden[0]!)) : `objects of ${hidden.length} kinds`}. </span>}
        {unread.length > 0 && <span>{unread.length === 1 ? "One thing" : `${unread.length} things`} could not be read.</span>}
      </summary>
      <ul>
        {hidden.map((h) => <li key={where(h)}><strong>Forbidden to you</strong> {clean(where(h))}</li>)}
        {unread.map((u, i) => (
          <li key={i}>
            <strong>{clean(u.reason)}</strong> {[u.context, u.resource, u.namespace, u.name, u.file].filter(Boolean).map((t) => clean(t)).join(" ")}: {clean(u.message)}
          </li>
        ))}
      </ul>
    </details>
  );
}
