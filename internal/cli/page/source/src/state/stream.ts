// SPDX-License-Identifier: Apache-2.0

// The one live connection of a tab. Messages carry an epoch and a sequence; another epoch or a missing message means that everything shown is
// read again. What is shown never looks fresher than the last message.
//
//	EventSource ── hello, change, beat ──> generation (read again), deltas (change rows in place), seen (freshness)
import { effect, signal } from "@preact/signals";
import type { Beat, Cluster, Counts, Delta, Hello, Row } from "../api.gen";
import { filterQuery } from "./address";
import { get, signedOut } from "./api";
import { setNow } from "./clock";

export type Connection = "connecting" | "live" | "stale" | "ended";

export const connection = signal<Connection>("connecting");
/** lastHeard is the local time of the last message, in milliseconds; 0 before the first. */
export const lastHeard = signal(0);
/** generation rises when what is shown has to be read again. */
export const generation = signal(0);
/** causes rises when the overview was computed again. */
export const causes = signal(0);
/** position rises with each change anywhere in the clusters. */
export const position = signal(0);
export const clusters = signal<Cluster[]>([]);
export const counts = signal<{ total: number; filtered: number; counts: Counts } | null>(null);
/** changed holds the ids of rows that changed last, to mark them for a moment. */
export type Change = { rows: Row[]; removed: string[] };

type Listener = (change: Change) => void;
const listeners = new Set<Listener>();

/** onChange calls the listener with each change within the filter, until the returned function is called. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const silence = 15_000;
// A browser has six connections to a server for all of its tabs, so a tab that nobody looks at gives its own back.
const unwatched = 30_000;
let source: EventSource | null = null;
let epoch = "";
let seq = -1;
let retry = 0;
let ended = false;

function again(): void {
  generation.value++;
}

function heard(now: string): void {
  lastHeard.value = Date.now();
  retry = 0;
  connection.value = ended ? "ended" : "live";
  setNow(now);
}

function hello(m: Hello): void {
  const known = epoch === m.epoch;
  heard(m.now);
  if (m.resumed && known) return;
  epoch = m.epoch;
  seq = m.seq;
  again();
}

function change(m: Delta): void {
  heard(m.now);
  const gap = m.epoch !== epoch || m.prev !== seq || m.reload;
  epoch = m.epoch;
  seq = m.seq;
  position.value = m.seq;
  counts.value = { total: m.total, filtered: m.filtered, counts: m.counts };
  if (gap) return again();
  for (const listener of listeners) listener({ rows: m.rows ?? [], removed: m.removed ?? [] });
}

function beat(m: Beat): void {
  ended = m.ended === true;
  heard(m.now);
  clusters.value = m.clusters ?? [];
  causes.value = m.causes;
  position.value = Math.max(position.value, m.seq);
}

function open(): void {
  source?.close();
  const query = filterQuery.peek();
  const opened = new EventSource(`api/v1/stream${query ? "?" + query : ""}`);
  source = opened;
  const on = <T>(name: string, handle: (message: T) => void) =>
    opened.addEventListener(name, (event) => {
      if (source === opened) handle(JSON.parse((event as MessageEvent<string>).data) as T);
    });
  on("hello", hello);
  on("change", change);
  on("beat", beat);
  opened.onerror = () => {
    if (source !== opened) return;
    connection.value = lastHeard.value ? "stale" : "connecting";
    if (opened.readyState === EventSource.CLOSED) void reopen();
  };
}

// A refused stream does not come back by itself: the answer to a plain request decides between signing in and trying again.
async function reopen(): Promise<void> {
  close();
  try {
    await get("about", "");
  } catch {
    if (signedOut.peek()) return;
  }
  setTimeout(() => !source && !signedOut.peek() && open(), Math.min(1000 * 2 ** retry++, 15_000));
}

function close(): void {
  source?.close();
  source = null;
}

/** connect keeps a stream for the filter of the address open, for as long as the page is looked at. */
export function connect(): void {
  effect(() => {
    filterQuery.value;
    if (signedOut.value) return close();
    epoch = "";
    open();
  });
  const check = () => {
    if (!lastHeard.peek() || signedOut.peek() || ended) return;
    if (Date.now() - lastHeard.peek() < silence) return;
    if (connection.peek() !== "stale") connection.value = "stale";
    if (document.visibilityState === "visible" && source?.readyState === EventSource.OPEN) open(); // a connection that slept
  };
  setInterval(check, 1000);
  addEventListener("online", check);
  const back = () => (!source && !signedOut.peek() ? open() : check());
  let hidden: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    if (document.visibilityState === "visible") back();
    else hidden = setTimeout(close, unwatched);
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && back());
}
