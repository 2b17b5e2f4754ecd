// SPDX-License-Identifier: Apache-2.0

// The state of the page is its address: view, filter, object and time. Everything that a link restores is here, and nothing else is kept.
import { computed, signal } from "@preact/signals";

export const views = ["causes", "objects", "clusters", "changes", "moment"] as const;
export type View = (typeof views)[number];

export const tabs = ["why", "tree", "history"] as const;
export type Tab = (typeof tabs)[number];

/** Filter has the names of the parameters of the API. */
export interface Filter {
  cluster: string[];
  namespace: string[];
  kind: string[];
  verdict: string[];
  label: string;
  text: string;
  overdue: boolean;
  unhealthy: boolean;
  cause: string;
}

export interface Address extends Filter {
  view: View;
  sort: "problems" | "name" | "age";
  object: string; // the id of the object whose details are shown
  tab: Tab;
  range: string; // of history and changes: a duration such as 15m, or empty
  time: string; // of the view moment: RFC 3339, HH:MM of the last day, or a duration ago
}

export const lists = ["cluster", "namespace", "kind", "verdict"] as const;
const texts = ["label", "text", "cause", "object", "range", "time"] as const;
const flags = ["overdue", "unhealthy"] as const;

export const nowhere: Address = {
  view: "causes", sort: "problems", object: "", tab: "why", range: "", time: "",
  cluster: [], namespace: [], kind: [], verdict: [], label: "", text: "", overdue: false, unhealthy: false, cause: "",
};

function oneOf<T extends string>(values: readonly T[], value: string | null): T {
  return values.find((v) => v === value) ?? values[0]!;
}

export function parse(query: string): Address {
  const q = new URLSearchParams(query);
  const a: Address = { ...nowhere, view: oneOf(views, q.get("view")), tab: oneOf(tabs, q.get("tab")), sort: oneOf(["problems", "name", "age"], q.get("sort")) };
  for (const name of lists) a[name] = q.getAll(name);
  for (const name of texts) a[name] = q.get(name) ?? "";
  for (const name of flags) a[name] = q.get(name) === "true";
  return a;
}

function filled(a: Filter): URLSearchParams {
  const q = new URLSearchParams();
  for (const name of lists) for (const value of a[name]) q.append(name, value);
  for (const name of ["label", "text", "cause"] as const) if (a[name]) q.set(name, a[name]);
  for (const name of flags) if (a[name]) q.set(name, "true");
  return q;
}

/** query returns the filter as the API takes it. */
export function query(a: Filter): string {
  return filled(a).toString();
}

export function format(a: Address): string {
  const q = filled(a);
  if (a.view !== "causes") q.set("view", a.view);
  if (a.sort !== "problems") q.set("sort", a.sort);
  if (a.object) q.set("object", a.object);
  if (a.object && a.tab !== "why") q.set("tab", a.tab);
  if (a.range) q.set("range", a.range);
  if (a.time) q.set("time", a.time);
  const text = q.toString();
  return text ? "?" + text : location.pathname;
}

export const address = signal(parse(location.search));
export const filterQuery = computed(() => query(address.value));

export function to(change: Partial<Address>): string {
  return format({ ...address.value, ...change });
}

/** go shows another state: a new entry of the browser's history, or the same one where only the text that is typed differs. */
export function go(change: Partial<Address>, replace = false): void {
  const next = { ...address.value, ...change };
  const url = format(next);
  if (format(address.value) === url) return;
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  address.value = next;
}

export function toggled(values: string[], value: string): string[] {
  return values.includes(value) ? values.filter((v) => v !== value) : [...values, value];
}

export function isFiltered(a: Filter): boolean {
  return query(a) !== "";
}

export const unfiltered: Filter = { cluster: [], namespace: [], kind: [], verdict: [], label: "", text: "", overdue: false, unhealthy: false, cause: "" };

addEventListener("popstate", () => {
  address.value = parse(location.search);
});

// Links to a state of the page are followed without loading it again; with a modifier or another button the browser opens them.
addEventListener("click", (event) => {
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || link.target || link.hasAttribute("download")) return;
  if (link.origin !== location.origin || link.pathname !== location.pathname) return;
  event.preventDefault();
  go(parse(link.search));
});
