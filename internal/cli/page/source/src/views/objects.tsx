// SPDX-License-Identifier: Apache-2.0

// The objects of the filter, worst first, in a list whose windows come from the server.
import { useCallback, useEffect, useMemo } from "preact/hooks";
import type { Row } from "../api.gen";
import { Problem, Unseen } from "../parts/problem";
import { Age, clean, count, detail, RowLink } from "../parts/text";
import { Marks, Verdict } from "../parts/verdict";
import { Virtual } from "../parts/virtual";
import { address, filterQuery, go, isFiltered, to, unfiltered } from "../state/address";
import { clusters, generation } from "../state/stream";
import { Rows } from "../state/window";

const height = 30;
const sorts = [["problems", "worst first"], ["age", "oldest first"], ["name", "by name"]] as const;

function Line({ row, index, selected, several }: { row: Row | undefined; index: number; selected: boolean; several: boolean }) {
  const state = `${selected ? " selected" : ""}${row && address.value.object === row.id ? " opened" : ""}`;
  if (!row) return <div class={`row waiting${state}`} role="row" aria-rowindex={index + 2}><span role="cell" class="message">reading …</span></div>;
  return (
    <div class={`row${state}`} role="row" aria-rowindex={index + 2} key={row.id}>
      <span role="cell" class="c-verdict"><Verdict verdict={row.verdict} overdue={row.overdue ?? false} /></span>
      <span role="cell" class="c-object"><RowLink row={row} index={-1} /><Marks row={row} /></span>
      <span role="cell" class="c-namespace">{clean(row.object.namespace)}</span>
      {several && <span role="cell" class="c-cluster">{clean(row.cluster)}</span>}
      <span role="cell" class="c-message" title={detail(row)}>{detail(row)}</span>
      <span role="cell" class="c-age"><Age since={row.since} /></span>
    </div>
  );
}

export function Objects() {
  const { sort } = address.value;
  const query = filterQuery.value + (sort === "problems" ? "" : `${filterQuery.value ? "&" : ""}sort=${sort}`);
  const rows = useMemo(() => new Rows(query), [query]);
  useEffect(() => () => rows.close(), [rows]);
  useEffect(() => rows.reload(), [rows, generation.value]);
  const show = useCallback((from: number, until: number) => rows.show(from, until), [rows]);
  const several = clusters.value.length > 1;
  const select = (index: number, replace: boolean) => {
    const row = rows.at(index);
    if (row) go({ object: row.id }, replace);
  };
  const filtered = rows.filtered.value;
  if (rows.error.value && filtered < 0) return <Problem error={rows.error.value} />;
  return (
    <section class="objects" aria-label="objects">
      <div class="bar">
        <h2>{filtered < 0 ? "Objects" : `${count(filtered)} of ${count(rows.total.value)} objects`}</h2>
        <nav class="sorts" aria-label="order">
          {sorts.map(([value, label]) => <a key={value} href={to({ sort: value })} aria-current={sort === value ? "true" : undefined}>{label}</a>)}
        </nav>
      </div>
      <Unseen answer={rows.answer.value} />
      {filtered === 0 && <Nothing />}
      <Virtual
        key={query} label="objects" count={Math.max(0, filtered)} height={height} version={rows.version.value} onShow={show}
        onOpen={(index) => select(index, false)}
        onCursor={(index) => address.value.object && select(index, true)}
        header={
          <div class="row head" role="row" aria-rowindex={1}>
            <span role="columnheader" class="c-verdict">Verdict</span>
            <span role="columnheader" class="c-object">Object</span>
            <span role="columnheader" class="c-namespace">Namespace</span>
            {several && <span role="columnheader" class="c-cluster">Cluster</span>}
            <span role="columnheader" class="c-message">Message</span>
            <span role="columnheader" class="c-age">For</span>
          </div>
        }
        row={(index, selected) => <Line key={index} row={rows.at(index)} index={index} selected={selected} several={several} />}
      />
    </section>
  );
}

function Nothing() {
  const a = address.value;
  return (
    <p class="nothing">
      {isFiltered(a) ? <>No object that you may see is within the filter. <a href={to(unfiltered)}>Drop the filter</a></> : "There is no object that you may see."}
    </p>
  );
}
