// SPDX-License-Identifier: Apache-2.0

// The tree of an object. It opens on the way to the causes; everything else is read when it is opened, and equal children are one line.
import { useEffect, useMemo } from "preact/hooks";
import { Problem, Unseen } from "../parts/problem";
import { Age, clean, count, detail, RowLink } from "../parts/text";
import { Marks, Verdict } from "../parts/verdict";
import { address, go, to } from "../state/address";
import { level, useCursor, useKeys } from "../state/keys";
import { useAnswer } from "../state/resource";
import { Branches, type Branch } from "../state/branches";

function Twig({ branch }: { branch: Branch }) {
  const { node } = branch;
  return <span class="twig" aria-hidden="true">{branch.lines.map((more, i) => <i key={i} class={i === branch.lines.length - 1 ? (more ? "tee" : "end") : more ? "bar" : ""} />)}{node.parent === undefined && ""}</span>;
}

function Line({ branch, tree, selected }: { branch: Branch; tree: Branches; selected: boolean }) {
  const { node } = branch;
  const opens = branch.opens;
  const what = node.group ? `${count(node.group.count)} ${clean(node.group.kind.split(".")[0])}s` : "";
  return (
    <li class={`leaf${selected ? " selected" : ""}${node.onPath ? " on-path" : ""}`} role="treeitem" id={"tree" + branch.place} aria-level={branch.lines.length + 1} aria-selected={selected} {...(opens ? { "aria-expanded": branch.open } : {})}>
      <Twig branch={branch} />
      {opens ? (
        <button type="button" class="fold" tabIndex={-1} aria-label={branch.open ? "fold" : "unfold"} onClick={() => tree.toggle(branch)}>{branch.open ? "▾" : "▸"}</button>
      ) : <span class="fold" />}
      <span class="what">
        {node.group ? <b>{what}</b> : node.row ? <RowLink row={node.row} index={-1} /> : null}
        {node.missing && <span class="mark">does not exist</span>}
        {node.again && <span class="mark">shown above</span>}
        {node.row && <Marks row={node.row} />}
        {(node.left ?? 0) > 0 && <a class="mark" href={to({ view: "objects", object: "", kind: [], text: node.row?.object.name ?? "" })}>{count(node.left ?? 0)} more below it, too many for a tree</a>}
      </span>
      {(node.row || node.group) && <Verdict verdict={node.row?.verdict ?? node.group?.verdict ?? "Unknown"} overdue={node.row?.overdue ?? false} />}
      <span class="says">{node.row ? detail(node.row) : clean(node.group?.reason)}{!branch.open && node.unhealthy > 0 && !node.group && opens ? ` (${count(node.unhealthy)} unhealthy below)` : ""}</span>
      <Age since={node.row?.since} />
      {branch.error && <span class="note">{clean(branch.error)}</span>}
    </li>
  );
}

export function Tree({ id, again }: { id: string; again: string }) {
  const { data, error } = useAnswer("tree", "id=" + encodeURIComponent(id), again, 3000);
  const cursor = useCursor(0);
  const tree = useMemo(() => new Branches(), []);
  useEffect(() => {
    if (data) tree.read(data);
  }, [data]);
  const lines = tree.lines.value;
  const at = () => Math.min(cursor.at(), tree.lines.peek().length - 1);
  const move = (to: number) => {
    const next = Math.max(0, Math.min(lines.length - 1, to));
    cursor.put(next);
    document.getElementById("tree" + lines[next]?.place)?.scrollIntoView({ block: "nearest" });
    return true;
  };
  useKeys(level.details, (key) => {
    const branch = tree.lines.peek()[at()];
    switch (key) {
      case "j": case "ArrowDown": return move(at() + 1);
      case "k": case "ArrowUp": return move(at() - 1);
      case "g": case "Home": return move(0);
      case "G": case "End": return move(lines.length - 1);
      case "ArrowRight": case "ArrowLeft": case " ":
        if (branch?.opens && (key === " " || branch.open === (key === "ArrowLeft"))) tree.toggle(branch);
        return true;
      case "Enter":
        if (branch?.node.row && branch.node.row.id !== address.value.object) go({ object: branch.node.row.id, tab: "why" });
        else if (branch?.opens) tree.toggle(branch);
        return true;
      default: return false;
    }
  });
  if (error && !lines.length) return <Problem error={error} />;
  if (!lines.length) return <p class="waiting">reading …</p>;
  return (
    <>
      <Unseen answer={data} />
      <ul class="tree" role="tree" aria-label="objects below" tabIndex={0} aria-activedescendant={"tree" + lines[at()]?.place}>
        {lines.map((branch, i) => <Line key={branch.place} branch={branch} tree={tree} selected={i === at()} />)}
      </ul>
    </>
  );
}
