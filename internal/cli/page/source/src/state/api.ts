// SPDX-License-Identifier: Apache-2.0

// Requests to the server. Only GET; an answer that is not one of the API is an error with a code.
import { signal } from "@preact/signals";
import type { About, Changes, Facets, History, Moment, Overview, Tree, Why, Window } from "../api.gen";

export class Refused extends Error {
  constructor(readonly code: string, message: string, readonly status: number) {
    super(message);
  }
}

/** signedOut is true from the first answer 401 on. */
export const signedOut = signal(false);

/** Answers are the answers by the last part of their address. */
export interface Answers {
  about: About;
  overview: Overview;
  objects: Window;
  facets: Facets;
  tree: Tree;
  why: Why;
  history: History;
  changes: Changes;
  at: Moment;
}

export async function get<K extends keyof Answers>(what: K, query: string, abort?: AbortSignal): Promise<Answers[K]> {
  let answer: Response;
  try {
    answer = await fetch(`api/v1/${what}${query ? "?" + query : ""}`, { signal: abort ?? null, credentials: "same-origin", headers: { Accept: "application/json" } });
  } catch (error) {
    if (abort?.aborted) throw error;
    throw new Refused("Unreachable", "The server does not answer.", 0);
  }
  let body: unknown;
  try {
    body = await answer.json();
  } catch {
    throw new Refused("Internal", `The server answered ${answer.status} without an explanation.`, answer.status);
  }
  if (answer.ok) return body as Answers[K];
  if (answer.status === 401) signedOut.value = true;
  const error = (body as { error?: { code?: string; message?: string } } | null)?.error;
  throw new Refused(error?.code ?? "Internal", error?.message ?? `The server answered ${answer.status}.`, answer.status);
}

/** signIn exchanges a token of the cluster for a session. It returns what is wrong, or "". */
export async function signIn(token: string): Promise<string> {
  try {
    const answer = await fetch("api/v1/session", { credentials: "same-origin", headers: { Authorization: "Bearer " + token } });
    if (answer.ok) return "";
    const body = (await answer.json()) as { error?: { message?: string } };
    return body.error?.message ?? `The server answered ${answer.status}.`;
  } catch {
    return "The server does not answer.";
  }
}
