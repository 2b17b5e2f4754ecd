// SPDX-License-Identifier: Apache-2.0

// The clock by which ages are computed: the server's. It goes on between messages for a cluster, and stands still for files and stories.
import { signal } from "@preact/signals";

let base = 0; // of the server, in milliseconds
let local = 0; // of this browser when base was read

export const frozen = signal(false);
/** now is the server's time in milliseconds, to the second; 0 before the first answer. */
export const now = signal(0);

export function setNow(text: string): void {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return;
  base = time;
  local = performance.now();
  tick();
}

function tick(): void {
  if (base) now.value = Math.floor((base + (frozen.peek() ? 0 : performance.now() - local)) / 1000) * 1000;
}

setInterval(tick, 1000);

/** age returns a duration as kubectl shows it: 45s, 4m, 3h5m, 2d. */
export function age(milliseconds: number): string {
  const s = Math.max(0, Math.floor(milliseconds / 1000));
  if (s < 120) return `${s}s`;
  const m = Math.floor(s / 60);
  if (m < 10) return s % 60 ? `${m}m${s % 60}s` : `${m}m`;
  if (m < 180) return `${m}m`;
  const h = Math.floor(m / 60);
  if (h < 8) return m % 60 ? `${h}h${m % 60}m` : `${h}h`;
  if (h < 48) return `${h}h`;
  const d = Math.floor(h / 24);
  if (d < 8) return h % 24 ? `${d}d${h % 24}h` : `${d}d`;
  if (d < 730) return `${d}d`;
  return `${Math.floor(d / 365)}y`;
}

export const ageSince = (since: string | undefined): string => (since && now.value ? age(now.value - Date.parse(since)) : "");

const pad = (n: number) => String(n).padStart(2, "0");

/** clock returns a time of day in the zone of the reader; with the date where it is not that of the server's now. */
export function clock(time: number | string, seconds = true): string {
  const d = new Date(time);
  const day = `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;
  const today = new Date(now.peek() || Date.now());
  const same = d.toDateString() === today.toDateString();
  return `${same ? "" : day + " "}${pad(d.getHours())}:${pad(d.getMinutes())}${seconds ? ":" + pad(d.getSeconds()) : ""}`;
}

/** moment reads what people type for a time: RFC 3339, HH:MM of the last 24 hours, YYYY-MM-DD HH:MM, or a duration ago such as 15m. Returns 0 if it is none. */
export function moment(text: string, from = now.peek()): number {
  const ago = /^(\d+)(s|m|h|d)$/.exec(text.trim());
  if (ago) return from - Number(ago[1]) * { s: 1, m: 60, h: 3600, d: 86400 }[ago[2] as "s" | "m" | "h" | "d"] * 1000;
  const hour = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text.trim());
  if (hour) {
    const d = new Date(from);
    d.setHours(Number(hour[1]), Number(hour[2]), Number(hour[3] ?? 0), 0);
    if (d.getTime() > from) d.setDate(d.getDate() - 1);
    return d.getTime();
  }
  const time = Date.parse(text.trim().replace(/^(\d{4}-\d{2}-\d{2}) /, "$1T"));
  return Number.isNaN(time) ? 0 : time;
}
