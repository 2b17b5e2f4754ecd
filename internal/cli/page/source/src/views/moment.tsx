// SPDX-License-Identifier: Apache-2.0

// What was unhealthy at a moment, as far as the history knows.
import { useEffect, useState } from "preact/hooks";
import { Problem, Unseen } from "../parts/problem";
import { clean, count, ObjectLink, plural } from "../parts/text";
import { Verdict } from "../parts/verdict";
import { address, filterQuery, go, to } from "../state/address";
import { age, clock, moment, now } from "../state/clock";
import { useAnswer } from "../state/resource";
import { clusters } from "../state/stream";

const sinces: Record<string, string> = { condition: "by its condition, not watched", managedFields: "by its last write, not watched", gap: "seen after a gap" };
const agos = ["5m", "15m", "1h", "6h", "24h"];

function Choice({ time }: { time: number }) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState(false);
  useEffect(() => setText(time ? clock(time) : ""), [time]);
  const submit = (event: Event) => {
    event.preventDefault();
    const chosen = moment(text);
    setWrong(chosen === 0);
    if (chosen) go({ time: new Date(chosen).toISOString() });
  };
  const step = (ms: number) => to({ time: new Date(time + ms).toISOString() });
  return (
    <form class="choice" onSubmit={submit}>
      <label>at <input id="moment" value={text} onInput={(e) => setText(e.currentTarget.value)} size={19} placeholder="02:14" aria-invalid={wrong} /></label>
      <button type="submit">show</button>
      <a href={step(-60_000)} >1m earlier</a>
      <a href={step(60_000)} >1m later</a>
      <span class="quiet">or</span>
      {agos.map((ago) => <a key={ago} href={to({ time: new Date(moment(ago)).toISOString() })}>{ago} ago</a>)}
      {wrong && <span class="note" role="alert">write 02:14, 2026-01-31 02:14 or 15m</span>}
    </form>
  );
}

export function Moment() {
  const started = now.value !== 0;
  const chosen = started ? moment(address.value.time || "15m", now.peek()) : 0;
  const [fallback, setFallback] = useState(0);
  useEffect(() => {
    if (!address.value.time && chosen && !fallback) setFallback(chosen); // the moment stays where it is while the clock goes on
  }, [started]);
  const time = address.value.time ? chosen : fallback;
  const filter = filterQuery.value;
  const { data, error } = useAnswer("at", time ? `time=${new Date(time).toISOString()}&limit=500${filter ? "&" + filter : ""}` : null, 0);
  const several = clusters.value.length > 1;
  return (
    <section class="moment" aria-label="a moment">
      <div class="bar">
        <h2>{data ? `${plural(data.unhealthy, "object")} unhealthy at ${clock(time)}` : "A moment"}</h2>
        <Choice time={time} />
      </div>
      {error && <Problem error={error} />}
      {!data && !error && <p class="waiting">reading …</p>}
      <Unseen answer={data} />
      {data && (data.message || !data.known) && <p class="note">{clean(data.message) || `Nothing was watched at ${clock(time)}.`}</p>}
      {data?.known && data.objects.length === 0 && <p class="nothing">Nothing was unhealthy at {clock(time)}.</p>}
      {data && data.objects.length > 0 && (
        <table class="change-list">
          <thead><tr><th scope="col">Verdict</th><th scope="col">Object</th><th scope="col">Message</th><th scope="col">Since</th><th scope="col">Until</th></tr></thead>
          <tbody>
            {data.objects.map((o) => (
              <tr key={o.id}>
                <td><Verdict verdict={o.verdict} /></td>
                <td class="c-object"><ObjectLink id={o.id} kind={o.kind.split(".")[0] ?? ""} name={o.name} tab="history" /><span class="place">{clean([o.namespace, several ? o.cluster : ""].filter(Boolean).join(" · "))}</span></td>
                <td class="c-message">{clean([o.reason, o.message].filter(Boolean).join(" "))}</td>
                <td class={o.source === "seen" ? undefined : "unwatched"}>{clock(o.since)}{sinces[o.source] && <span class="place">{sinces[o.source]}</span>}</td>
                <td>{o.until ? `${clock(o.until)} (${age(Date.parse(o.until) - Date.parse(o.since))})` : "still so"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data && (data.events ?? []).length > 0 && (
        <table class="change-list warnings">
          <caption>Nothing was watched then. {plural((data.events ?? []).length, "warning")} of Kubernetes from around that time: an object with one was not necessarily unhealthy</caption>
          <thead><tr><th scope="col">Object</th><th scope="col">Warning</th><th scope="col">First</th><th scope="col">Last</th></tr></thead>
          <tbody>
            {(data.events ?? []).map((e) => (
              <tr key={e.id + e.reason + e.last}>
                <td class="c-object"><ObjectLink id={e.id} kind={e.kind.split(".")[0] ?? ""} name={e.name} tab="history" /><span class="place">{clean([e.namespace, several ? e.cluster : ""].filter(Boolean).join(" · "))}</span></td>
                <td class="c-message">{clean([e.reason, e.message].filter(Boolean).join(" "))}{e.count > 1 ? ` (${count(e.count)} times)` : ""}</td>
                <td class="unwatched">{clock(e.first)}</td>
                <td class="unwatched">{clock(e.last)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data?.eventsError && <p class="note">Warnings of Kubernetes around that time: {clean(data.eventsError)}.</p>}
      {data && data.objects.length < data.unhealthy && <p class="note">{count(data.unhealthy - data.objects.length)} more: choose a filter.</p>}
    </section>
  );
}
