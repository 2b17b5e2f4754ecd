// SPDX-License-Identifier: Apache-2.0

// A list of which only the visible part is in the document. The rows have one height; the list has a cursor that keys move.
import { type ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { level, useCursor, useKeys } from "../state/keys";

export interface VirtualProps {
  label: string;
  count: number;
  height: number; // of a row, in pixels
  header?: ComponentChildren;
  row: (index: number, selected: boolean) => ComponentChildren;
  onShow: (from: number, until: number) => void;
  onOpen?: (index: number) => void;
  onCursor?: (index: number) => void;
  version: unknown; // a change draws the rows again
}

const beyond = 12; // rows that are drawn above and below what is visible

export function Virtual({ label, count, height, header, row, onShow, onOpen, onCursor, version }: VirtualProps) {
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ from: 0, until: 40 });
  const cursor = useCursor(-1);
  void version;

  const measure = () => {
    const el = box.current;
    if (!el) return;
    const from = Math.max(0, Math.floor(el.scrollTop / height) - beyond);
    const until = Math.ceil((el.scrollTop + el.clientHeight) / height) + beyond;
    setRange((old) => (old.from === from && old.until === until ? old : { from, until }));
  };
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, [height]);
  const until = Math.min(range.until, count);
  useEffect(() => onShow(range.from, Math.max(range.until, range.from + 1)), [range.from, range.until, onShow]);

  const move = (to: number) => {
    const el = box.current;
    if (!el || count === 0) return;
    const next = Math.max(0, Math.min(count - 1, to));
    cursor.put(next);
    onCursor?.(next);
    const top = next * height, view = el.clientHeight - headerHeight(el);
    if (top < el.scrollTop) el.scrollTop = top;
    else if (top + height > el.scrollTop + view) el.scrollTop = top + height - view;
  };
  useKeys(level.list, (key) => {
    const jump = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / height) - 2);
    switch (key) {
      case "j": case "ArrowDown": return move(cursor.at() + 1), true;
      case "k": case "ArrowUp": return move(Math.max(0, cursor.at() - 1)), true;
      case "g": case "Home": return move(0), true;
      case "G": case "End": return move(count - 1), true;
      case "PageDown": return move(cursor.at() + jump), true;
      case "PageUp": return move(Math.max(0, cursor.at() - jump)), true;
      case "Enter": return cursor.at() >= 0 && onOpen ? (onOpen(cursor.at()), true) : false;
      default: return false;
    }
  });

  const rows = [];
  for (let i = range.from; i < until; i++) rows.push(row(i, i === cursor.at()));
  return (
    <div class="virtual" ref={box} onScroll={measure} role="table" aria-label={label} aria-rowcount={count + 1} tabIndex={0}>
      {header}
      <div class="extent" role="rowgroup" style={{ height: `${count * height}px` }}>
        <div class="shown" role="presentation" style={{ transform: `translateY(${range.from * height}px)` }}>{rows}</div>
      </div>
    </div>
  );
}

const headerHeight = (el: Element) => el.querySelector(".head")?.clientHeight ?? 0;
