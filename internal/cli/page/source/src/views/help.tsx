// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef } from "preact/hooks";
import { keys, level, useKeys } from "../state/keys";
import { symbolOf, Verdict } from "../parts/verdict";

const verdicts: [string, string][] = [
  ["Current", "it is as its spec asks"],
  ["InProgress", "on its way; overdue once it takes longer than its budget"],
  ["Degraded", "it serves, but impaired"],
  ["Failed", "it needs help"],
  ["Suspended", "off on purpose"],
  ["Terminating", "it is being deleted"],
  ["NotFound", "it is referred to and does not exist"],
  ["Unknown", "it cannot be judged: the word says so instead of guessing"],
];

export function Help({ onClose }: { onClose: () => void }) {
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  useKeys(level.dialog, (key) => (key === "Escape" || key === "?" ? (onClose(), true) : key !== "Tab"));
  return (
    <div class="over" onClick={(e) => e.target === e.currentTarget && onClose()}>
      <div class="help" role="dialog" aria-modal="true" aria-label="keys and words">
        <button type="button" class="close" ref={close} onClick={onClose}>close <kbd>esc</kbd></button>
        <section>
          <h2>Keys</h2>
          <dl class="keys">{keys.map(([key, what]) => <div key={key}><dt>{key.split(" ").map((k) => <kbd key={k}>{k}</kbd>)}</dt><dd>{what}</dd></div>)}</dl>
        </section>
        <section>
          <h2>Words</h2>
          <dl class="words">{verdicts.map(([v, what]) => <div key={v}><dt><Verdict verdict={v} /></dt><dd>{what}</dd></div>)}</dl>
          <p class="quiet">{symbolOf("InProgress", true)} marks what is overdue. This page reads and never writes.</p>
        </section>
      </div>
    </div>
  );
}
