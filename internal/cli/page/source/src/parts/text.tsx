// SPDX-License-Identifier: Apache-2.0

// Small pieces of text. Text of the cluster is only ever a text node.
import { address, to, type Tab } from "../state/address";
import { ageSince, clock, now } from "../state/clock";
import type { ObjectRef, Row } from "../api.gen";

// Characters that change the direction of text, or are not shown, would let a name look like another one.
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/g;

/** clean returns a text of the cluster without control characters, as the commands print it. */
export const clean = (text: string | undefined): string => (text ?? "").replace(obeyed, " ");

export function Age({ since, fresh = false }: { since: string | undefined; fresh?: boolean }) {
  if (!since) return <span class="age" />;
  const recent = fresh && now.value - Date.parse(since) < 300_000;
  return <time class={recent ? "age fresh" : "age"} dateTime={since} title={`since ${clock(since)}`}>{recent ? "new, " : ""}{ageSince(since)}</time>;
}

/** group returns the group of an apiVersion; empty for the core group. */
export const groupOf = (apiVersion: string | undefined): string => (apiVersion?.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "");

const encode = (part: string) => encodeURIComponent(part).replace(/%(24|26|2B|3A|3D|40)/g, decodeURIComponent);

/** idOf returns the id of an object of a cluster, as the server forms it. */
export function idOf(cluster: string, o: ObjectRef): string {
  const group = groupOf(o.apiVersion);
  return [cluster, group ? `${o.kind}.${group}` : o.kind, o.namespace ?? "", o.name].map(encode).join("/");
}

/** refOf returns what an id names. */
export function refOf(id: string): { cluster: string; kind: string; group: string; namespace: string; name: string } {
  const [cluster = "", full = "", namespace = "", name = ""] = id.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  const point = full.indexOf(".");
  return { cluster, kind: point < 0 ? full : full.slice(0, point), group: point < 0 ? "" : full.slice(point + 1), namespace, name };
}

export function Name({ kind, name }: { kind: string; name: string }) {
  return (
    <span class="name">
      <span class="kind">{clean(kind)}</span>
      <span class="slash">/</span>
      <bdi>{clean(name)}</bdi>
    </span>
  );
}

/** ObjectLink opens the details of an object and keeps the rest of the address. */
export function ObjectLink({ id, kind, name, tab = "why", index }: { id: string; kind: string; name: string; tab?: Tab; index?: number }) {
  return (
    <a class="object" href={to({ object: id, tab })} tabIndex={index} aria-current={address.value.object === id ? "true" : undefined}>
      <Name kind={kind} name={name} />
    </a>
  );
}

export const RowLink = ({ row, index }: { row: Row; index?: number }) => <ObjectLink id={row.id} kind={row.object.kind} name={row.object.name} {...(index === undefined ? {} : { index })} />;

/** detail explains an unhealthy object in a few words, as the column MESSAGE of the commands does. */
export function detail(row: Pick<Row, "type" | "reason" | "severity" | "message" | "verdict">): string {
  if (row.verdict === "Current") return "";
  const message = clean(row.message).replace(/\s+/g, " ").trim();
  const counted = /^\d+ of \d+ completed$/.test(message);
  const reason = row.reason === row.verdict ? "" : clean(row.reason);
  const head = row.type && counted ? "" : [reason, row.severity ? `(${clean(row.severity)})` : ""].filter(Boolean).join(" ");
  return [clean(row.type), head, message].filter(Boolean).join(": ");
}

export const count = (n: number): string => n.toLocaleString("en-US");
export const plural = (n: number, one: string, many = one + "s"): string => `${count(n)} ${n === 1 ? one : many}`;

/** value returns a value of evidence as JSON, cut where it is long. */
export function value(v: unknown): string {
  const text = clean(JSON.stringify(v) ?? "absent");
  return text.length > 400 ? text.slice(0, 400) + " …" : text;
}
