// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { App } from "./app";
import { listen } from "./state/keys";
import { connect } from "./state/stream";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/lists.css";
import "./styles/details.css";
import "./styles/print.css";

listen();
connect();
const root = document.getElementById("page")!;
root.textContent = "";
render(<App />, root);
