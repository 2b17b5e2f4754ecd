// SPDX-License-Identifier: Apache-2.0

// The verdicts that changed within a time, the newest first.
import { useState } from "preact/hooks";
import type { Change } from "../api.gen";
import { Problem, Unseen } from "../parts/problem";
import { clean, count, ObjectLink, plural } from "../parts/text";
import { Verdict } from "../parts/verdict";
import { address, filterQuery, to } from "../state/address";
import { age, clock, now } from "../state/clock";
import { useAnswer } from "../state/resource";
import { clusters, generation, position } from "../state/stream";

const ranges = ["5m", "15m", "1h", "6h", "24h"];
const trends: Record<string, string> = { worse: "↓ worse", better: "↑ better", new: "+ new", gone: "− gone", same: "= same" };

// folded joins neighbours that say the same of objects of one kind: the newest, then the rest.
function folded(changes: Change[]): Change[][] {
  const groups: Change[][] = [];
  const same = (a: Change, b: Change) => a.kind === b.kind && a.trend === b.trend && a.namespace === b.namespace && a.cluster === b.cluster
    && a.was.verdict === b.was.verdict && a.now.verdict === b.now.verdict && a.now.reason === b.now.reason;
  for (const change of changes) {
    const last = groups.at(-1);
    if (last?.[0] && same(last[0], change)) last.push(change);
    else groups.push([change]);
  }
  return groups;
}

function Lines({ group }: { group: Change[] }) {
  const [open, setOpen] = useState(false);
  const rest = group.slice(1);
  return (
    <>
      {group.slice(0, 1).map((change) => <Line key={change.id} change={change} />)}
      {rest.length > 0 && <tr class="fold"><td colSpan={5}><button type="button" class="more" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? "hide" : "show"} {plural(rest.length, "change")} like it, since {clock(rest.at(-1)?.at ?? "")}</button></td></tr>}
      {open && rest.map((change) => <Line key={change.at + change.id} change={change} />)}
    </>
  );
}

function Line({ change }: { change: Change }) {
  const several = clusters.value.length > 1;
  return (
    <tr class={`trend-${change.trend}`}>
      <td class="c-at"><a href={to({ view: "moment", time: change.at })} title={`what was unhealthy at ${clock(change.at)}`}>{clock(change.at)}</a> <span class="quiet">{age(now.value - Date.parse(change.at))} ago</span></td>
      <td class="c-trend">{trends[change.trend] ?? change.trend}</td>
      <td class="c-object"><ObjectLink id={change.id} kind={change.kind.split(".")[0] ?? ""} name={change.name} tab="history" /><span class="place">{clean([change.namespace, several ? change.cluster : ""].filter(Boolean).join(" · "))}</span></td>
      <td class="c-was">{change.was.verdict ? <Verdict verdict={change.was.verdict} /> : <span class="quiet">absent</span>} <span class="arrow">→</span> {change.now.verdict ? <Verdict verdict={change.now.verdict} /> : <span class="quiet">absent</span>}</td>
      <td class="c-message">{clean([change.now.reason, change.now.message].filter(Boolean).join(" "))}</td>
    </tr>
  );
}

export function Changes() {
  const [limit, setLimit] = useState(200);
  const range = address.value.range || "15m";
  const filter = filterQuery.value;
  const { data, error } = useAnswer("changes", `since=${encodeURIComponent(range)}&limit=${limit}${filter ? "&" + filter : ""}`, `${generation.value}/${position.value}`, 1500);
  return (
    <section class="changes" aria-label="changes">
      <div class="bar">
        <h2>{data ? `${plural(data.total, "change")} in the last ${range}` : "Changes"}</h2>
        <nav class="ranges" aria-label="time">{ranges.map((r) => <a key={r} href={to({ range: r })} aria-current={r === range ? "true" : undefined}>{r}</a>)}</nav>
      </div>
      {error && <Problem error={error} />}
      {!data && !error && <p class="waiting">reading …</p>}
      <Unseen answer={data} />
      {data?.known && Date.parse(data.known) > Date.parse(data.from) && <p class="note">Changes are known since {clock(data.known)}; earlier ones may be missing.</p>}
      {(data?.gaps ?? []).map((gap) => <p class="note" key={gap.from}>▨ Nothing was watched from {clock(gap.from)} to {clock(gap.to)}.</p>)}
      {data && data.changes.length === 0 && <p class="nothing">No verdict changed in the last {range}.</p>}
      {data && data.changes.length > 0 && (
        <table class="change-list">
          <thead><tr><th scope="col">When</th><th scope="col">Trend</th><th scope="col">Object</th><th scope="col">Verdict</th><th scope="col">Message</th></tr></thead>
          <tbody>{folded(data.changes).map((group) => <Lines key={(group.at(-1)?.at ?? "") + group.at(-1)?.id} group={group} />)}</tbody>
        </table>
      )}
      {data && data.changes.length < data.total && <button type="button" class="more" onClick={() => setLimit(Math.min(limit + 300, 500))} disabled={limit >= 500}>{count(data.total - data.changes.length)} earlier changes{limit >= 500 ? ": choose a shorter time or a filter" : ""}</button>}
    </section>
  );
}
