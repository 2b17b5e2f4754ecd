// SPDX-License-Identifier: Apache-2.0

// Why an object is as it is: the causes with their evidence, events and remedies, its conditions, and the commands that show the same.
import type { Cause, ConditionRow, Event, Why as Answer } from "../api.gen";
import { Copyable } from "../parts/copy";
import { Unseen } from "../parts/problem";
import { Age, clean, detail, idOf, Name, ObjectLink, plural, RowLink, value } from "../parts/text";
import { Verdict } from "../parts/verdict";
import { now, age } from "../state/clock";

function Events({ events }: { events: Event[] }) {
  return (
    <ul class="events">
      {events.map((e, i) => (
        <li key={i} class={e.type === "Warning" ? "warning" : ""}>
          <span class="reason">{e.type === "Warning" ? "! " : ""}{clean(e.reason)}</span>
          <span class="text">{clean(e.message)}</span>
          <span class="times">{e.count > 1 ? `${e.count} ×` : ""} <Age since={e.last} /></span>
        </li>
      ))}
    </ul>
  );
}

/** Path is the way from the object to the cause. */
function Path({ answer, cause }: { answer: Answer; cause: Cause }) {
  const root = answer.row, chain = cause.chain ?? [];
  if (!cause.object || cause.object.id === root.id) return null;
  return (
    <p class="path">
      <Name kind={root.object.kind} name={root.object.name} />
      {chain.map((step, i) => (
        <span key={i}>
          <span class="edge">{step.relation ? clean(step.relation) : ""} → </span>
          <ObjectLink id={idOf(root.cluster ?? "", step.object)} kind={step.object.kind} name={step.object.name} />
        </span>
      ))}
      <span class="edge">→</span> <span>this {clean(cause.object.object.kind)}</span>
    </p>
  );
}

/** Remedy shows what to do; a command in it can be copied. */
function Remedy({ text }: { text: string }) {
  const command = /(?:^|: |; )((?:kubectl|tristate|helm|flux) .*)$/.exec(text)?.[1];
  const before = command ? text.slice(0, text.length - command.length).replace(/[:;] $/, "") : text;
  return (
    <div class="remedy">
      <p><span class="lead">try</span>{" "}{before}</p>
      {command && <Copyable title="the remedy" command={command} />}
    </div>
  );
}

function CauseCard({ answer, cause }: { answer: Answer; cause: Cause }) {
  const row = cause.object;
  const self = row?.id === answer.row.id;
  return (
    <article class="card">
      <h3>
        {row ? <Verdict verdict={row.verdict} overdue={row.overdue ?? false} /> : <Verdict verdict="Unknown" />}
        {!row ? <span class="hidden-object">an object you may not see</span> : self ? <span>this object itself</span> : <RowLink row={row} />}
        {cause.like > 0 && <span class="like">and {plural(cause.like, "equal object")}</span>}
        {row && <Age since={row.since} />}
      </h3>
      {row && <p class="says">{detail(row)}</p>}
      {cause.remedy && <Remedy text={clean(cause.remedy)} />}
      <dl class="facts">
        <Path0 answer={answer} cause={cause} />
        {cause.condition && <><dt>condition</dt><dd><code>{clean(cause.condition)}</code></dd></>}
        {cause.field && <><dt>field</dt><dd><code>{clean(cause.field)}</code></dd></>}
        {(cause.evidence ?? []).filter((e) => !cause.field?.startsWith(e.path)).map((e) => (
          <><dt>evidence</dt><dd><code>{clean(e.path)} = {value(e.value)}</code></dd></>
        ))}
        {row?.rule && row.confidence !== "none" && <><dt>judged by</dt><dd>{clean(row.rule)} <span class="quiet">({clean(row.confidence)})</span></dd></>}
      </dl>
      {(cause.others ?? []).length > 0 && (
        <ul class="others" aria-label="further conditions of the cause">
          {cause.others?.map((o, i) => <li key={i}><b>{clean(o.type)}{o.status ? ` = ${clean(o.status)}` : ""}</b> {clean(o.reason)} <span class="quiet">{clean(o.message)}</span></li>)}
        </ul>
      )}
      {(cause.events ?? []).length > 0 && <Events events={cause.events ?? []} />}
    </article>
  );
}

function Path0({ answer, cause }: { answer: Answer; cause: Cause }) {
  if (!cause.object || cause.object.id === answer.row.id) return null;
  return <><dt>path</dt><dd><Path answer={answer} cause={cause} /></dd></>;
}

const tones: Record<string, string> = { ok: "current", progress: "inprogress", transient: "degraded", terminal: "failed", suspended: "suspended" };

function Conditions({ list }: { list: ConditionRow[] }) {
  return (
    <table class="conditions">
      <thead><tr><th scope="col">Status</th><th scope="col">Type</th><th scope="col">Reason</th><th scope="col">For</th></tr></thead>
      <tbody>
        {list.map((c) => (
          <tr key={c.type}>
            <td class="c-status"><b class={c.class ? `v-${tones[c.class] ?? "unknown"}` : ""}>{clean(c.status)}</b>{c.class && <span class="class">{c.class}</span>}</td>
            <th scope="row">{clean(c.type)}</th>
            <td class="c-why">
              <span class="reason">{clean(c.reason)}</span> {c.message && <span class="text">{clean(c.message)}</span>}
              {c.meaning && <span class="meaning">{clean(c.meaning)}</span>}
            </td>
            <td class="c-for"><Age since={c.since} /></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Why({ answer }: { answer: Answer }) {
  const { item, row } = answer;
  const doubts = answer.doubts ?? [];
  return (
    <div class="why">
      <p class="sentence">{clean(answer.sentence)}</p>
      {(item.contradictions ?? []).map((text) => <p class="note" key={text}>It {clean(text)}.</p>)}
      {item.nextLook && <p class="note">Time alone changes the answer in {age(Date.parse(item.nextLook) - now.value)}.</p>}
      <Unseen answer={answer} />
      {answer.causes.length > 0 && <h2>{answer.causes.length === 1 ? "Cause" : `${answer.causes.length} causes`}</h2>}
      {answer.causes.map((cause) => <CauseCard key={cause.id} answer={answer} cause={cause} />)}
      {doubts.length > 0 && <h2>Doubts</h2>}
      {doubts.map((cause) => <CauseCard key={cause.id} answer={answer} cause={cause} />)}
      {(item.evidence ?? []).length > 0 && (
        <>
          <h2>Evidence</h2>
          <ul class="evidence">{item.evidence?.map((e) => <li key={e.path}><code>{clean(e.path)} = {value(e.value)}</code></li>)}</ul>
        </>
      )}
      {(answer.conditions ?? []).length > 0 && <><h2>Conditions</h2><Conditions list={answer.conditions ?? []} /></>}
      <h2>Events</h2>
      {answer.eventsError ? <p class="note">{clean(answer.eventsError)}</p> : (answer.events ?? []).length ? <Events events={answer.events ?? []} /> : <p class="quiet">none are kept about this {row.object.kind}</p>}
      <h2>In a terminal</h2>
      {answer.commands.map((c) => <Copyable key={c.command} title={c.title} command={c.command} />)}
      {(answer.labels ?? []).length > 0 && (
        <>
          <h2>Labels</h2>
          <ul class="labels">{answer.labels?.map((l) => <li key={l.name}><code>{clean(l.name)}={clean(l.value)}</code></li>)}</ul>
        </>
      )}
    </div>
  );
}
