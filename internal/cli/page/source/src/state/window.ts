// SPDX-License-Identifier: Apache-2.0

// The rows of a long list that are near what is shown. The server sorts, filters and counts; at most `kept` pages are in memory, so that 100,000 objects cost as
// much as 1,000.
import { signal, type Signal } from "@preact/signals";
import type { Row, Window } from "../api.gen";
import { get, type Refused } from "./api";
import { setNow } from "./clock";
import { counts, onChange } from "./stream";

export const page = 100;
const kept = 8;

export class Rows {
  /** version rises with each change of the rows. */
  readonly version = signal(0);
  readonly filtered = signal(-1); // -1: not known yet
  readonly total = signal(0);
  readonly answer: Signal<Pick<Window, "unread" | "hidden"> | null> = signal(null);
  readonly error: Signal<Refused | null> = signal(null);
  private readonly pages = new Map<number, Row[]>();
  private readonly loading = new Map<number, AbortController>();
  private readonly failed = new Set<number>(); // pages that could not be read, until they are asked for again
  private from = 0;
  private until = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly stop: () => void;

  constructor(private readonly query: string) {
    this.stop = onChange(({ rows, removed }) => {
      for (const row of rows) this.replace(row);
      if (removed.length) this.remove(new Set(removed));
      this.version.value++;
      this.later();
    });
  }

  at(index: number): Row | undefined {
    return this.pages.get(Math.floor(index / page))?.[index % page];
  }

  /** show reads the pages of the rows from..until, unless they are there. */
  show(from: number, until: number): void {
    this.from = from;
    this.until = until;
    this.fill();
  }

  /** fill reads a page that is shown and not there. One is read at a time: while a list is dragged only its last place counts. */
  private fill(): void {
    if (this.loading.size > 0) return;
    const last = Math.floor(Math.max(this.from, this.until - 1) / page);
    for (let p = Math.floor(this.from / page); p <= last; p++) if (!this.pages.has(p) && !this.failed.has(p)) return void this.load(p);
  }

  /** reload reads the rows that are shown again. Until the answer is there the old ones stay. */
  reload(): void {
    this.failed.clear();
    const first = Math.floor(this.from / page), last = Math.floor(Math.max(this.from, this.until - 1) / page);
    for (const p of this.pages.keys()) if (p < first || p > last) this.pages.delete(p);
    for (let p = first; p <= last; p++) void this.load(p);
  }

  close(): void {
    this.stop();
    clearTimeout(this.timer);
    this.until = this.from = -1;
    for (const abort of this.loading.values()) abort.abort();
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.reload(), 400);
  }

  private replace(row: Row): void {
    for (const rows of this.pages.values()) {
      const i = rows.findIndex((r) => r.id === row.id);
      if (i >= 0) rows[i] = row;
    }
  }

  private remove(ids: Set<string>): void {
    for (const [p, rows] of this.pages) {
      const rest = rows.filter((r) => !ids.has(r.id));
      if (rest.length < rows.length) this.filtered.value = Math.max(0, this.filtered.peek() - (rows.length - rest.length));
      this.pages.set(p, rest);
    }
  }

  private async load(p: number): Promise<void> {
    this.loading.get(p)?.abort();
    const abort = new AbortController();
    this.loading.set(p, abort);
    try {
      const w = await get("objects", `${this.query}${this.query ? "&" : ""}offset=${p * page}&limit=${page}`, abort.signal);
      this.pages.delete(p);
      this.pages.set(p, w.rows ?? []); // the last of the map: the oldest are dropped first
      for (const old of this.pages.keys()) {
        if (this.pages.size <= kept) break;
        this.pages.delete(old);
      }
      this.filtered.value = w.filtered;
      this.total.value = w.total;
      this.answer.value = { unread: w.unread ?? [], hidden: w.hidden ?? [] };
      counts.value = { total: w.total, filtered: w.filtered, counts: w.counts };
      this.error.value = null;
      setNow(w.now);
    } catch (error) {
      if (abort.signal.aborted) return;
      this.failed.add(p);
      this.error.value = error as Refused;
    } finally {
      if (this.loading.get(p) === abort) this.loading.delete(p);
    }
    this.version.value++;
    this.fill();
  }
}
