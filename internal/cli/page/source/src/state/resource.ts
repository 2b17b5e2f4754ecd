// SPDX-License-Identifier: Apache-2.0

// A component's answer of the server: read when its query changes, and again when something says so. The old answer stays until the new one is there.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, type Answers, type Refused } from "./api";
import { setNow } from "./clock";

export interface Resource<T> {
  data: T | null;
  error: Refused | null;
  loading: boolean;
}

interface Loader {
  ask(): void;
  stop(): void;
}

// At most one request at a time, at least `pause` milliseconds apart; a request that runs is never given up for a newer one of the same query.
function loader(run: (abort: AbortSignal) => Promise<void>, pause: number): Loader {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false, more = false, last = -Infinity;
  const start = async () => {
    timer = undefined;
    running = true;
    more = false;
    await run(abort.signal);
    last = performance.now();
    running = false;
    if (more && !abort.signal.aborted) ask();
  };
  const ask = () => {
    more = running;
    if (!running && timer === undefined) timer = setTimeout(start, Math.max(0, last + pause - performance.now()));
  };
  return {
    ask,
    stop() {
      clearTimeout(timer);
      abort.abort();
    },
  };
}

/** useAnswer reads `what` with `query` (null: nothing); a change of `again` asks for a new answer, at most one per `pause` milliseconds. */
export function useAnswer<K extends keyof Answers>(what: K, query: string | null, again: unknown, pause = 0): Resource<Answers[K]> {
  const [state, set] = useState<{ of: string | null; data: Answers[K] | null; error: Refused | null }>({ of: null, data: null, error: null });
  const current = useRef<Loader | null>(null);
  useEffect(() => {
    if (query === null) return;
    const l = loader(async (abort) => {
      try {
        const data = await get(what, query, abort);
        if ("now" in data && typeof data.now === "string") setNow(data.now);
        set({ of: query, data, error: null });
      } catch (error) {
        if (!abort.aborted) set((old) => ({ of: query, data: old.of === query ? old.data : null, error: error as Refused }));
      }
    }, pause);
    current.current = l;
    l.ask();
    return () => l.stop();
  }, [what, query, pause]);
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) current.current?.ask();
    first.current = false;
  }, [again]);
  return state.of === query ? { data: state.data, error: state.error, loading: false } : { data: null, error: null, loading: query !== null };
}
