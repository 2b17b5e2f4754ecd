// SPDX-License-Identifier: Apache-2.0

// The filter: text, menus with counts from the server, and what is set, to be dropped one by one. All of it is in the address.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Facet, Facets } from "../api.gen";
import { clean, count } from "../parts/text";
import { symbolOf, worstFirst } from "../parts/verdict";
import { address, filterQuery, go, isFiltered, to, toggled, unfiltered } from "../state/address";
import { level, useKeys } from "../state/keys";
import { useAnswer } from "../state/resource";
import { generation, position } from "../state/stream";

/** facets are the values that the filter can have. */
export const facets = signal<Facets | null>(null);

type Dimension = "cluster" | "namespace" | "kind";

function Menu({ name, values }: { name: Dimension; values: Facet[] }) {
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const chosen = address.value[name];
  useEffect(() => {
    if (!open) return;
    const away = (event: Event) => !box.current?.contains(event.target as Node) && setOpen(false);
    addEventListener("pointerdown", away);
    box.current?.querySelector("input")?.focus();
    return () => removeEventListener("pointerdown", away);
  }, [open]);
  const found = values.filter((v) => v.value.toLowerCase().includes(search.toLowerCase()));
  return (
    <div class="menu" ref={box} onKeyDown={(e) => e.key === "Escape" && setOpen(false)}>
      <button type="button" aria-expanded={open} aria-haspopup="true" class={chosen.length ? "set" : ""} onClick={() => setOpen(!open)}>
        {name}{chosen.length === 1 ? ` ${clean(chosen[0]?.split(".")[0])}` : chosen.length ? ` ${chosen.length}` : ""} <span aria-hidden="true">▾</span>
      </button>
      {open && (
        <div class="list">
          <input type="search" placeholder={`find a ${name}`} aria-label={`find a ${name}`} value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
          <ul>
            {found.slice(0, 200).map((v) => (
              <li key={v.value}>
                <a href={to({ [name]: toggled(chosen, v.value), cause: "" })} aria-current={chosen.includes(v.value) ? "true" : undefined}>
                  <span class="tick" aria-hidden="true">{chosen.includes(v.value) ? "✓" : ""}</span>
                  <span class="value">{clean(v.value) || "cluster-scoped"}</span>
                  {v.unhealthy > 0 && <span class="bad">✗ {count(v.unhealthy)}</span>}
                  <span class="of">{count(v.count)}</span>
                </a>
              </li>
            ))}
            {found.length > 200 && <li class="quiet">{count(found.length - 200)} more: type to find one</li>}
            {found.length === 0 && <li class="quiet">none</li>}
          </ul>
        </div>
      )}
    </div>
  );
}

/** Verdicts are the numbers of objects by verdict; each is a switch of the filter. */
function Verdicts({ values }: { values: Facet[] }) {
  const chosen = address.value.verdict;
  const numbers = new Map(values.map((v) => [v.value, v.count]));
  return (
    <nav class="verdicts" aria-label="verdicts">
      {worstFirst.filter((v) => numbers.get(v) || chosen.includes(v)).map((v) => (
        <a key={v} class={`v-${v.toLowerCase()}`} aria-current={chosen.includes(v) ? "true" : undefined}
          href={to({ verdict: toggled(chosen, v), cause: "", ...(address.value.view === "causes" && !chosen.includes(v) ? { view: "objects" as const } : {}) })}>
          <span aria-hidden="true">{symbolOf(v)}</span> <b>{count(numbers.get(v) ?? 0)}</b> {v}
        </a>
      ))}
    </nav>
  );
}

const single = ["label", "text", "cause"] as const;

/** Set lists what the filter holds. */
function Set() {
  const a = address.value;
  if (!isFiltered(a)) return null;
  const chip = (key: string, text: string, without: Parameters<typeof to>[0]) => (
    <a key={key} class="chip" href={to(without)} aria-label={`drop ${text}`}><span>{clean(text)}</span> <span aria-hidden="true">×</span></a>
  );
  return (
    <p class="set">
      {(["cluster", "namespace", "kind", "verdict"] as const).flatMap((name) => a[name].map((v) => chip(name + v, `${name} ${v || "none"}`, { [name]: toggled(a[name], v) })))}
      {single.filter((name) => a[name]).map((name) => chip(name, name === "cause" ? `because of ${decodeURIComponent(a.cause.split("/").slice(-1)[0] ?? "")}` : `${name} ${a[name]}`, { [name]: "" }))}
      {a.overdue && chip("overdue", "overdue", { overdue: false })}
      {a.unhealthy && chip("unhealthy", "unhealthy", { unhealthy: false })}
      <a class="clear" href={to(unfiltered)}>drop all</a>
    </p>
  );
}

export function Filters() {
  const { data } = useAnswer("facets", filterQuery.value, `${generation.value}/${position.value}`, 3000);
  useEffect(() => {
    if (data) facets.value = data;
  }, [data]);
  const f = data ?? facets.value;
  const input = useRef<HTMLInputElement>(null);
  const a = address.value;
  const [text, setText] = useState(a.text);
  const [label, setLabel] = useState(a.label);
  useEffect(() => setText(a.text), [a.text]);
  useEffect(() => setLabel(a.label), [a.label]);
  useEffect(() => {
    if (text === a.text) return;
    const timer = setTimeout(() => go({ text, cause: "" }, a.text !== ""), 200);
    return () => clearTimeout(timer);
  }, [text]);
  useKeys(level.page, (key) => {
    if (key === "/") return input.current?.focus(), input.current?.select(), true;
    if (key === "u") return go({ unhealthy: !address.value.unhealthy, view: "objects" }), true;
    if (key === "Escape" && isFiltered(address.value)) return go(unfiltered), true;
    return false;
  });
  return (
    <search class="filters">
      <div class="fields">
        <label class="text"><span class="unseen">text</span><input id="text" ref={input} type="search" placeholder="filter: name, reason, message" value={text} onInput={(e) => setText(e.currentTarget.value)} autocomplete="off" spellcheck={false} /><kbd aria-hidden="true">/</kbd></label>
        {(f?.clusters.length ?? 0) > 1 && <Menu name="cluster" values={f?.clusters ?? []} />}
        <Menu name="namespace" values={f?.namespaces ?? []} />
        <Menu name="kind" values={f?.kinds ?? []} />
        <form class="label" onSubmit={(e) => (e.preventDefault(), go({ label: label.trim(), cause: "" }))}><input aria-label="label selector" placeholder="label: app=web" value={label} onInput={(e) => setLabel(e.currentTarget.value)} autocomplete="off" spellcheck={false} /></form>
        <a class="switch" href={to({ overdue: !a.overdue, cause: "" })} aria-current={a.overdue ? "true" : undefined}>! overdue</a>
        <Verdicts values={f?.verdicts ?? []} />
      </div>
      <Set />
    </search>
  );
}
