// SPDX-License-Identifier: Apache-2.0

// The prompt behind the colon, as in k9s: a kind with an optional namespace, or a view.
import { useEffect, useRef, useState } from "preact/hooks";
import { clean, count } from "../parts/text";
import { go, unfiltered, views, type Address } from "../state/address";
import { level, useKeys } from "../state/keys";
import { facets } from "./filters";

interface Choice {
  label: string;
  note: string;
  change: Partial<Address>;
  rank: number;
}

/** rank is how closely typed text fits a word: 0 the same, 1 its beginning, 2 its letters in order (sts, svc, pvc), -1 not at all. A plural fits too. */
export function rank(typed: string, word: string): number {
  const t = typed.toLowerCase(), w = word.toLowerCase();
  if (t === w || t === w + "s" || t === w + "es" || t === w.replace(/y$/, "ies")) return 0;
  if (w.startsWith(t)) return 1;
  let i = 0;
  for (const letter of w) if (letter === t[i]) i++;
  return i === t.length && t[0] === w[0] ? 2 : -1;
}

export function choices(text: string): Choice[] {
  const [word = "", namespace] = text.trim().split(/\s+/);
  const out: Choice[] = [];
  const scope = namespace ? { namespace: [namespace] } : {};
  for (const k of facets.value?.kinds ?? []) {
    const kind = k.value.split(".")[0] ?? "";
    const r = word ? Math.max(rank(word, kind), rank(word, k.value)) : 3;
    if (r >= 0) out.push({ label: k.value, note: `${count(k.count)}${k.unhealthy ? `, ${count(k.unhealthy)} unhealthy` : ""}`, change: { ...unfiltered, view: "objects", object: "", kind: [k.value], ...scope }, rank: r + Math.min(kind.length, 90) / 100 });
  }
  for (const v of [...views, "all"]) {
    const r = word ? rank(word, v) : 4;
    if (r >= 0) out.push({ label: v, note: v === "all" ? "every object" : "view", change: v === "all" ? { ...unfiltered, view: "objects", object: "" } : { view: v as Address["view"], object: "" }, rank: r + 0.5 });
  }
  for (const n of facets.value?.namespaces ?? []) if (word && n.value && rank(word, n.value) === 0) out.push({ label: n.value, note: "namespace", change: { ...unfiltered, namespace: [n.value] }, rank: 0.9 });
  return out.sort((a, b) => a.rank - b.rank).slice(0, 12);
}

export function Prompt({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  useKeys(level.dialog, (key) => (key === "Escape" ? (onClose(), true) : false));
  const list = choices(text);
  const take = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    go(choice.change);
  };
  const key = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Tab: 1 };
    if (event.key in steps) {
      event.preventDefault();
      setAt((at + (steps[event.key] ?? 0) + list.length) % Math.max(1, list.length));
    } else if (event.key === "Enter") take(list[at]);
    else if (event.key === "Escape") onClose();
    else return;
    event.stopPropagation();
  };
  return (
    <div class="over" onClick={(e) => e.target === e.currentTarget && onClose()}>
      <div class="prompt" role="dialog" aria-modal="true" aria-label="go to">
        <div class="line"><span aria-hidden="true">:</span><input ref={input} aria-label="kind and namespace, or a view" role="combobox" aria-expanded="true" aria-controls="choices" aria-activedescendant={list.length ? `choice${at}` : undefined} placeholder="kind [namespace]" value={text} onInput={(e) => (setText(e.currentTarget.value), setAt(0))} onKeyDown={key} autocomplete="off" spellcheck={false} /></div>
        <ul id="choices" role="listbox" aria-label="kinds and views">
          {list.map((c, i) => <li key={c.label + c.note} id={`choice${i}`} role="option" aria-selected={i === at} onClick={() => take(c)}><span>{clean(c.label)}</span><span class="quiet">{c.note}</span></li>)}
        </ul>
        {list.length === 0 && <p class="quiet">no kind and no view is called so</p>}
      </div>
    </div>
  );
}
