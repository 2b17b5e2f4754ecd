// SPDX-License-Identifier: Apache-2.0

// The open part of a tree, as lines. A node that the server left closed is read when it is opened; an answer that comes again keeps what is open.
import { signal } from "@preact/signals";
import type { Tree, TreeNode } from "../api.gen";
import { get } from "./api";

export interface Branch {
  node: TreeNode;
  place: string; // of the node among all, stable between answers
  lines: boolean[]; // for each level: whether a later sibling follows
  open: boolean;
  opens: boolean; // it has children
  error: string;
}

const most = 200; // members of a group that are read at once

// placeOf names a node by what it is, so that a new answer finds it again.
const nameOf = (n: TreeNode): string => n.row?.id ?? (n.group ? `group ${n.group.open}` : n.key);

export class Branches {
  readonly lines = signal<Branch[]>([]);
  private nodes: TreeNode[] = [];
  private readonly grafts = new Map<string, TreeNode[]>(); // by place: children that were read when it was opened
  private readonly folded = new Map<string, boolean>(); // by place: what the reader opened or closed
  private readonly errors = new Map<string, string>();

  read(answer: Tree): void {
    this.nodes = answer.nodes ?? [];
    this.draw();
    for (const branch of this.lines.peek()) if (branch.open && this.grafts.has(branch.place)) void this.graft(branch);
  }

  toggle(branch: Branch): void {
    this.folded.set(branch.place, !branch.open);
    this.draw();
    if (!branch.open && !this.grafts.has(branch.place) && !branch.node.open) void this.graft(branch);
  }

  private async graft(branch: Branch): Promise<void> {
    const { node, place } = branch;
    const parent = node.row?.id ?? this.idAbove(node);
    const query = `id=${encodeURIComponent(parent)}&` + (node.group ? `group=${encodeURIComponent(node.group.open)}&offset=0&limit=${most}` : "depth=1");
    try {
      const answer = await get("tree", query);
      this.grafts.set(place, (answer.nodes ?? []).slice(1));
      this.errors.delete(place);
    } catch (error) {
      this.errors.set(place, (error as Error).message);
    }
    this.draw();
  }

  // A group is opened through the object that it is below.
  private readonly above = new WeakMap<TreeNode, string>();
  private idAbove(node: TreeNode): string {
    return this.above.get(node) ?? "";
  }

  private draw(): void {
    const out: Branch[] = [];
    const walk = (node: TreeNode, all: TreeNode[], path: string, lines: boolean[]) => {
      const place = `${path} ${nameOf(node)}`;
      const opens = !node.again && (node.children > 0 || node.group !== undefined);
      const open = opens && (this.folded.get(place) ?? node.open);
      out.push({ node, place, lines, open, opens, error: this.errors.get(place) ?? "" });
      if (!open) return;
      const grafted = node.open ? undefined : this.grafts.get(place);
      const children = grafted ? grafted.filter((n) => grafted.every((o) => o.key !== n.parent)) : all.filter((n) => n.parent === node.key);
      children.forEach((child, i) => {
        this.above.set(child, node.row?.id ?? this.idAbove(node));
        walk(child, grafted ?? all, place, [...lines, i < children.length - 1]);
      });
    };
    const root = this.nodes[0];
    if (root) walk(root, this.nodes, "", []);
    this.lines.value = out;
  }
}
