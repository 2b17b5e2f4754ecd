// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { signedOut, signIn } from "../state/api";
import { clean } from "../parts/text";

/** SignIn asks for a token of the cluster. A page of `tristate ui` is opened by the address that the command prints instead. */
export function SignIn() {
  const [token, setToken] = useState("");
  const [wrong, setWrong] = useState("");
  const submit = async (event: Event) => {
    event.preventDefault();
    const problem = await signIn(token.trim());
    setWrong(problem);
    setToken("");
    if (!problem) signedOut.value = false;
  };
  return (
    <main class="signin">
      <h1>You are not signed in</h1>
      <p>Started with <code>tristate ui</code>? Open the address that it printed, with its token.</p>
      <p>In a cluster, sign in with a token of it: what you may read there is what you see here.</p>
      <form onSubmit={submit}>
        <label>token <input type="password" id="token" autocomplete="off" value={token} onInput={(e) => setToken(e.currentTarget.value)} required /></label>
        <button type="submit">sign in</button>
      </form>
      <p class="quiet"><code>kubectl create token NAME -n NAMESPACE</code> prints one.</p>
      {wrong && <p class="problem" role="alert">{clean(wrong)}</p>}
    </main>
  );
}
