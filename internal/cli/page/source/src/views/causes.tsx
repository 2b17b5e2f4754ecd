// SPDX-License-Identifier: Apache-2.0

// What is to blame, worst first: each cause once, with what it explains and what to do about it.
import { useState } from "preact/hooks";
import type { Cause, Overview } from "../api.gen";
import { Problem, Unseen } from "../parts/problem";
import { Age, clean, count, detail, ObjectLink, plural, refOf, RowLink } from "../parts/text";
import { Verdict } from "../parts/verdict";
import { address, filterQuery, go, isFiltered, to, unfiltered } from "../state/address";
import { level, useCursor, useKeys } from "../state/keys";
import { useAnswer } from "../state/resource";
import { causes as computed, clusters, generation } from "../state/stream";

const shown = 6; // victims listed at once

/** Victims are the objects that a cause explains, the first of them by name. */
function Victims({ cause }: { cause: Cause }) {
  const ids = cause.explainIds ?? [];
  const rest = cause.explains - Math.min(ids.length, shown);
  if (cause.explains === 0) return null;
  return (
    <p class="victims">
      <span class="lead">explains</span>
      {ids.slice(0, shown).map((id) => {
        const ref = refOf(id);
        return <ObjectLink key={id} id={id} kind={ref.kind} name={ref.name} index={-1} />;
      })}
      {rest > 0 && <a href={to({ view: "objects", cause: cause.id })} tabIndex={-1}>{ids.length ? `and ${count(rest)} more` : `${count(rest)} objects`}</a>}
    </p>
  );
}

/** size is how many objects of the filter a cause is about: itself, those like it, and those that it explains. */
const size = (cause: Cause) => 1 + cause.like + cause.explains;

/** title names a cause by the workload that its objects belong to, where it is one: the hash in the name of a pod says nothing. */
function title(cause: Cause) {
  if (!cause.object) return <span class="object">{clean(refOf(cause.id).kind)}/{clean(refOf(cause.id).name)}</span>;
  if (cause.workload) {
    const ref = refOf(cause.workload);
    return <ObjectLink id={cause.workload} kind={ref.kind} name={ref.name} index={-1} />;
  }
  return <RowLink row={cause.object} index={-1} />;
}

/** Alike says how many objects the cause has besides the one of the title. */
function Alike({ cause }: { cause: Cause }) {
  const kind = clean(cause.object?.object.kind ?? "object");
  if (cause.workload && cause.like === 0 && cause.object) return <RowLink row={cause.object} index={-1} />;
  if (cause.workload) return <a class="like" href={to({ view: "objects", cause: cause.id })} tabIndex={-1}>{plural(1 + cause.like, kind)}</a>;
  if (cause.like === 0) return null;
  return <a class="like" href={to({ view: "objects", cause: cause.id })} tabIndex={-1}>and {count(cause.like)} alike{(cause.workloads ?? 0) > 1 ? ` of ${count(cause.workloads ?? 0)} workloads` : ""}</a>;
}

function place(cause: Cause, several: boolean) {
  const row = cause.object;
  const namespace = (cause.namespaces ?? 0) > 1 ? `in ${count(cause.namespaces ?? 0)} namespaces` : row?.object.namespace;
  return clean([namespace, several ? row?.cluster : ""].filter(Boolean).join(" · "));
}

export function CauseLine({ cause, selected, compact }: { cause: Cause; selected: boolean; compact?: boolean }) {
  const row = cause.object;
  const several = clusters.value.length > 1 && !compact;
  return (
    <li class={`cause${selected ? " selected" : ""}${row && address.value.object === row.id ? " opened" : ""}`} data-id={cause.id}>
      <div class="gutter">{row ? <Verdict verdict={row.verdict} overdue={row.overdue ?? false} /> : <Verdict verdict="Unknown" />}</div>
      <div class="body">
        <h3>
          {title(cause)}
          <Alike cause={cause} />
          <span class="place">{place(cause, several)}</span>
        </h3>
        {row && <p class="says">{detail(row)}</p>}
        {cause.looking && <p class="looking">still looking: kinds that it leads to are being read, and the cause may be another one</p>}
        {cause.remedy && !cause.looking && <p class="remedy"><span class="lead">try</span>{" "}{clean(cause.remedy)}</p>}
        {cause.unexplained && <p class="remedy"><span class="lead">unexplained</span>{" "}no rule knows why; its events and its controller may</p>}
        <Victims cause={cause} />
      </div>
      <div class="side">
        {row && <Age since={row.since} fresh />}
        {size(cause) > 1 && <a class="weight" href={to({ view: "objects", cause: cause.id })} tabIndex={-1}><b>{count(size(cause))}</b> objects</a>}
      </div>
    </li>
  );
}

function headline(o: Overview): string {
  const all = o.causes.length + (o.moreCauses ?? 0);
  if (o.counts.total === 0) return "No objects";
  if (o.counts.unhealthy === 0) return `All ${count(o.counts.total)} objects are healthy`;
  return `${plural(all, "cause")}, ${plural(o.counts.unhealthy, "unhealthy object")} of ${count(o.counts.total)}`;
}

export function Causes() {
  const [limit, setLimit] = useState(50);
  const cursor = useCursor(-1);
  const query = `${filterQuery.value}${filterQuery.value ? "&" : ""}limit=${limit}`;
  const { data, error } = useAnswer("overview", query, `${generation.value}/${computed.value}`, 1000);
  const list = data?.causes ?? [];
  const move = (to: number) => {
    const next = Math.max(0, Math.min(list.length - 1, to));
    cursor.put(next);
    document.querySelectorAll(".cause")[next]?.scrollIntoView({ block: "nearest" });
    const id = list[next]?.object?.id;
    if (address.value.object && id) go({ object: id }, true);
    return true;
  };
  useKeys(level.list, (key) => {
    switch (key) {
      case "j": case "ArrowDown": return move(cursor.at() + 1);
      case "k": case "ArrowUp": return move(cursor.at() - 1);
      case "g": case "Home": return move(0);
      case "G": case "End": return move(list.length - 1);
      case "Enter": {
        const cause = list[cursor.at()];
        if (cause?.object) go({ object: cause.object.id });
        return cause !== undefined;
      }
      default: return false;
    }
  });
  if (!data) return error ? <Problem error={error} /> : <p class="waiting">reading …</p>;
  return (
    <section class="causes" aria-label="causes">
      <div class="bar">
        <h2>{headline(data)}</h2>
        {error && <span class="note">{clean(error.message)}</span>}
      </div>
      {data.approximate && <p class="note">{clean(data.approximate)}</p>}
      <Unseen answer={data} />
      {data.counts.total === 0 && (
        <p class="nothing">{isFiltered(address.value) ? <>No object that you may see is within the filter. <a href={to(unfiltered)}>Drop the filter</a></> : "There is no object that you may see."}</p>
      )}
      <ol class="cause-list">{list.map((cause, i) => <CauseLine key={cause.id} cause={cause} selected={i === cursor.at()} />)}</ol>
      {(data.moreCauses ?? 0) > 0 && <button type="button" class="more" onClick={() => setLimit(limit + 100)}>{count(data.moreCauses ?? 0)} more causes</button>}
    </section>
  );
}
