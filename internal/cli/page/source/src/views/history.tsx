// SPDX-License-Identifier: Apache-2.0

// The conditions of an object over time: a lane each, drawn by hand. Times that were not watched are hatched, beginnings that were not seen are dotted.
import { useEffect, useRef, useState } from "preact/hooks";
import type { History as Answer, Lane, Mark, Span } from "../api.gen";
import { Problem } from "../parts/problem";
import { age, clock, now } from "../state/clock";
import { clean, plural } from "../parts/text";
import { address, to } from "../state/address";
import { useAnswer } from "../state/resource";

const ranges = ["15m", "1h", "6h", "24h", "168h"]; // durations as the API takes them
const symbols: Record<string, string> = { ok: "✓", progress: "…", bad: "✗", unknown: "?", suspended: "–" };
const sources: Record<string, string> = {
  seen: "", condition: "beginning from lastTransitionTime, not watched", managedFields: "beginning from the last write, not watched", gap: "seen after a gap",
};
const laneHeight = 30, barHeight = 18, axis = 22;

/** ticks returns round moments between two times, at most `most`. */
function ticks(from: number, to: number, most: number): number[] {
  const steps = [1, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800].map((s) => s * 1000);
  const step = steps.find((s) => (to - from) / s <= most) ?? 604800000;
  const shift = new Date(from).getTimezoneOffset() * 60000;
  const out = [];
  for (let t = Math.ceil((from - shift) / step) * step + shift; t <= to; t += step) out.push(t);
  return out;
}

function sentence(lane: Lane, span: Span, end: number): string {
  const start = Date.parse(span.from), stop = span.to ? Date.parse(span.to) : end;
  return [`${lane.name} ${span.status}`, span.reason, `from ${clock(start)} to ${span.to ? clock(stop) : "now"} (${age(stop - start)})`, sources[span.source] ?? span.source].filter(Boolean).map((t) => clean(t)).join(", ");
}

function worded(mark: Mark): string {
  const times = mark.until ? `from ${clock(mark.at)} to ${clock(mark.until)}` : `at ${clock(mark.at)}`;
  const text = mark.source === "event" ? [mark.warning ? "warning" : "event", mark.reason, mark.message, mark.count && mark.count > 1 ? `(${mark.count} times)` : ""] : [`${mark.manager} wrote ${mark.part}`, "(its last write)"];
  return [...text, times].filter(Boolean).map((t) => clean(t)).join(" ");
}

function Chart({ answer, width, onShow }: { answer: Answer; width: number; onShow: (text: string) => void }) {
  const from = Date.parse(answer.from), end = Math.max(Date.parse(answer.to), from + 1000);
  const label = Math.min(150, Math.floor(width * 0.26));
  const x = (t: number) => label + ((Math.min(Math.max(t, from), end) - from) / (end - from)) * (width - label);
  const marks = answer.marks ?? [];
  const height = (answer.lanes.length + (marks.length ? 1 : 0)) * laneHeight + axis;
  return (
    <svg class="lanes" width={width} height={height} role="img" aria-label={`history from ${clock(from)} to ${clock(end)}; the table below has the same`}>
      <defs>
        <pattern id="gap" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="6" class="hatch" /></pattern>
      </defs>
      {ticks(from, end, Math.max(2, Math.floor((width - label) / 84))).map((t) => (
        <g key={t}>
          <line class="tick" x1={x(t)} x2={x(t)} y1={0} y2={height - axis} />
          <text class="tick-label" x={Math.min(x(t), width - 30)} y={height - 6} text-anchor="middle">{clock(t, end - from < 300_000)}</text>
        </g>
      ))}
      {answer.lanes.map((lane, i) => (
        <g key={lane.name} transform={`translate(0 ${i * laneHeight})`}>
          <text class={lane.verdict ? "lane-name first" : "lane-name"} x={0} y={laneHeight / 2 + 4}>{short(lane.name, label)}</text>
          {lane.spans.map((span, j) => {
            const left = x(Date.parse(span.from)), right = x(span.to ? Date.parse(span.to) : end);
            const w = Math.max(right - left, 1.5);
            const text = sentence(lane, span, end);
            return (
              <g key={j} class={`span s-${span.class} from-${span.source}`} onMouseEnter={() => onShow(text)} onMouseLeave={() => onShow("")}>
                <title>{text}</title>
                <rect x={left} y={(laneHeight - barHeight) / 2} width={w} height={barHeight} rx={Math.min(2, w / 3)} />
                {w > 22 && <text class="span-label" x={left + 6} y={laneHeight / 2 + 4}>{symbols[span.class] ?? "?"}{w > 74 ? " " + short(lane.verdict ? span.status : span.reason || span.status, w - 24) : ""}</text>}
                {span.source !== "seen" && <line class="unseen-start" x1={left} x2={left} y1={3} y2={laneHeight - 3} />}
              </g>
            );
          })}
          {lane.flapping && <text class="flaps" x={width - 4} y={laneHeight / 2 + 4} text-anchor="end">⇅ {lane.flips} changes</text>}
        </g>
      ))}
      {marks.length > 0 && (
        <g class="marks" transform={`translate(0 ${answer.lanes.length * laneHeight})`}>
          <text class="lane-name" x={0} y={laneHeight / 2 + 4}>{short("Events, writes", label)}</text>
          {marks.map((mark, i) => {
            const left = x(Date.parse(mark.at)), right = x(Date.parse(mark.until ?? mark.at));
            return (
              <g key={i} class={mark.source === "event" ? (mark.warning ? "mark-warning" : "mark-event") : "mark-write"} onMouseEnter={() => onShow(worded(mark))} onMouseLeave={() => onShow("")}>
                <title>{worded(mark)}</title>
                <line class="reach" x1={left} x2={right} y1={laneHeight / 2} y2={laneHeight / 2} />
                {mark.source === "event" ? <circle cx={right} cy={laneHeight / 2} r={4} /> : <path d={`M${left} ${laneHeight / 2 - 5} l5 5 l-5 5 l-5 -5 z`} />}
              </g>
            );
          })}
        </g>
      )}
      {(answer.gaps ?? []).map((gap, i) => {
        const left = x(Date.parse(gap.from)), w = Math.max(x(Date.parse(gap.to)) - left, 2);
        return (
          <g key={i}>
            <title>{`not watched from ${clock(gap.from)} to ${clock(gap.to)}: ${gap.reason}`}</title>
            <rect class="gap" x={left} y={0} width={w} height={height - axis} fill="url(#gap)" />
          </g>
        );
      })}
    </svg>
  );
}

const short = (text: string, width: number) => {
  const most = Math.max(1, Math.floor(width / 6.6));
  const plain = clean(text);
  return plain.length > most ? plain.slice(0, most - 1) + "…" : plain;
};

const whys: Record<string, string> = { restarted: "the server was not running", unreachable: "the cluster did not answer", limit: "older records were deleted, as the limit asks" };

export function History({ id, again }: { id: string; again: string }) {
  const range = address.value.range || "1h";
  const { data, error } = useAnswer("history", `id=${encodeURIComponent(id)}&from=${encodeURIComponent(range)}`, again, 3000);
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [text, setText] = useState("");
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const lanes = data?.lanes ?? [];
  const flapping = lanes.filter((l) => l.flapping);
  const all = lanes.flatMap((lane) => lane.spans.map((span) => ({ lane, span }))).sort((a, b) => Date.parse(b.span.from) - Date.parse(a.span.from));
  return (
    <div class="history" ref={box}>
      <nav class="ranges" aria-label="time">
        {ranges.map((r) => <a key={r} href={to({ range: r })} aria-current={r === range ? "true" : undefined}>{r === "168h" ? "7d" : r}</a>)}
      </nav>
      {error && <Problem error={error} />}
      {flapping.length > 0 && <p class="note">⇅ {flapping.map((l) => `${clean(l.name)} changed ${l.flips} times within ten minutes`).join("; ")}.</p>}
      {(data?.gaps ?? []).map((gap) => (
        <p class="note" key={gap.from}>▨ Nothing was watched from {clock(gap.from)} to {clock(gap.to)}: {whys[gap.reason] ?? clean(gap.reason)}. Changes within it are lost.</p>
      ))}
      {data && lanes.length === 0 && <p class="nothing">Nothing is known about this object in the last {range}.</p>}
      {data && lanes.length > 0 && width > 0 && <Chart answer={data} width={width} onShow={setText} />}
      <p class="readout">{text || (lanes.length ? "dotted beginnings were not watched: they come from lastTransitionTime or managedFields; so do the writes ◇, and events ● are those of Kubernetes" : " ")}</p>
      {data?.marksError && <p class="note">Events are missing: {clean(data.marksError)}.</p>}
      {all.length > 0 && (
        <table class="transitions">
          <caption>{plural(all.length, "period")}, the newest first</caption>
          <thead><tr><th scope="col">From</th><th scope="col">Condition</th><th scope="col">Status</th><th scope="col">Reason</th><th scope="col">Lasted</th></tr></thead>
          <tbody>
            {all.slice(0, 200).map(({ lane, span }, i) => (
              <tr key={i}>
                <td><a href={to({ view: "moment", time: span.from })} title="what was unhealthy then">{clock(span.from)}</a></td>
                <td>{clean(lane.name)}</td>
                <td class={`s-${span.class}`}>{symbols[span.class] ?? "?"} {clean(span.status)}</td>
                <td>{clean(span.reason)} <span class="quiet">{clean(span.message)}{sources[span.source] && ` (${sources[span.source]})`}</span></td>
                <td>{age((span.to ? Date.parse(span.to) : now.value) - Date.parse(span.from))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {(data?.marks ?? []).length > 0 && (
        <table class="transitions marks-list">
          <caption>{plural((data?.marks ?? []).length, "event or write", "events and writes")}, not watched: as Kubernetes has them</caption>
          <thead><tr><th scope="col">When</th><th scope="col">From</th><th scope="col">What</th></tr></thead>
          <tbody>
            {[...(data?.marks ?? [])].reverse().map((mark, i) => (
              <tr key={i}><td>{clock(mark.until ?? mark.at)}</td><td>{mark.source === "event" ? (mark.warning ? "! event" : "event") : "managedFields"}</td><td class="c-message">{worded(mark)}</td></tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
