// Text of a record: wrapped or not, to be copied, and JSON with its parts in colour.

import { element, icon } from "./dom.js";
import { count } from "./format.js";
import { say } from "./status.js";

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;
const REST = "are not shown; download the record for all of it.";
const MOST_TOKENS = 20_000; // beyond, colours cost more than they tell

export function drawText({ text, language, left_out: leftOut }) {
  const name = language === "json" ? "JSON" : "Text";
  const content = element("pre", { class: "text scrolls wraps", tabindex: "0", role: "group", "aria-label": name });
  content.append(...(language === "json" ? coloured(text) : [text]));
  const wrap = element("button", { type: "button", class: "quiet", "aria-pressed": "true" }, "Wrap lines");
  wrap.addEventListener("click", () => {
    const isWrapped = content.classList.toggle("wraps");
    wrap.setAttribute("aria-pressed", String(isWrapped));
  });
  const copy = element("button", { type: "button", class: "quiet" }, icon("copy"), "Copy");
  copy.addEventListener("click", () => copyText(text, content));
  return element(
    "div", { class: "block block-text", "data-language": language },
    element("div", { class: "block-tools" }, element("span", { class: "faint" }, name), wrap, copy),
    content,
    leftOut > 0 ? element("p", { class: "faint" }, `${count(leftOut)} more ${REST}`) : null,
  );
}

async function copyText(text, content) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
  } catch {
    getSelection().selectAllChildren(content); // the browser does not allow it: the next best is a selection
    say("The text is selected; copy it with Ctrl+C");
  }
}

function coloured(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (parts.length > 2 * MOST_TOKENS) break;
    const [whole, string] = match;
    const token = string ?? whole;
    parts.push(text.slice(from, match.index), element("span", { class: `json-${kindOf(match)}` }, token));
    from = match.index + token.length;
  }
  parts.push(text.slice(from));
  return parts;
}

function kindOf([, string, colon, number]) {
  if (string !== undefined) return colon === undefined ? "string" : "key";
  return number === undefined ? "word" : "number";
}
