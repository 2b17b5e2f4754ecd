// SPDX-License-Identifier: Apache-2.0

// The details of one object: who judged it, and the tabs why, tree and history. On a narrow window they cover the list.
import { useEffect, useRef } from "preact/hooks";
import { copy } from "../parts/copy";
import { Problem } from "../parts/problem";
import { Age, clean, Name, refOf } from "../parts/text";
import { Marks, Verdict } from "../parts/verdict";
import { address, go, tabs, to } from "../state/address";
import { level, useKeys } from "../state/keys";
import { useAnswer } from "../state/resource";
import { generation, position } from "../state/stream";
import { History } from "./history";
import { Tree } from "./tree";
import { Why } from "./why";

const pause = 2500; // between two readings of an object that changes all the time

export function Details() {
  const { object: id, tab } = address.value;
  const again = `${generation.value}/${position.value}`;
  const { data, error } = useAnswer("why", "id=" + encodeURIComponent(id), again, pause);
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.scrollTo(0, 0), [id, tab]);
  useKeys(level.details, (key) => {
    if (address.value.object !== id) return false; // closed, and not drawn yet
    const next = { w: "why", t: "tree", h: "history" } as const;
    if (key in next) return go({ tab: next[key as keyof typeof next] }), true;
    if (key === "Escape") return go({ object: "", tab: "why" }), true;
    if (key === "c" && data?.commands[0]) return void copy(data.commands[0].command), true;
    return false;
  });
  const ref = refOf(id);
  const row = data?.row;
  return (
    <aside class="details" ref={box} aria-label={`details of ${clean(ref.kind)} ${clean(ref.name)}`}>
      <header>
        <div class="top">
          {row ? <Verdict verdict={row.verdict} overdue={row.overdue ?? false} /> : !error && <span class="waiting">reading …</span>}
          {row && <Age since={row.since} />}
          {row && <Marks row={row} />}
          <a class="close" href={to({ object: "", tab: "why" })} >close <kbd>esc</kbd></a>
        </div>
        <h1><Name kind={row?.object.kind ?? ref.kind} name={row?.object.name ?? ref.name} /></h1>
        <p class="place">
          {[ref.namespace && `namespace ${clean(ref.namespace)}`, ref.cluster && `cluster ${clean(ref.cluster)}`, clean(row?.object.apiVersion ?? ref.group)].filter(Boolean).join(" · ")}
        </p>
        {row && <p class="judge">{row.rule ? <>judged by <b>{clean(row.rule)}</b>, confidence {clean(row.confidence)}</> : "nobody judges this kind: no catalog, pack or convention fits"}{data.item.budget && `, budget ${clean(data.item.budget)}`}</p>}
        <nav class="tabs" aria-label="details">
          {tabs.map((t) => <a key={t} href={to({ tab: t })} aria-current={t === tab ? "page" : undefined}>{t === "why" ? "Why" : t === "tree" ? "Tree" : "History"} <kbd>{t[0]}</kbd></a>)}
        </nav>
      </header>
      {error && <Problem error={error} />}
      {tab === "why" && data && <Why answer={data} />}
      {tab === "tree" && <Tree key={id} id={id} again={again} />}
      {tab === "history" && <History key={id} id={id} again={again} />}
    </aside>
  );
}
