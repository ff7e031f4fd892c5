// Found words within a text: text nodes and <mark>s.

import { element } from "./dom.js";

const MOST_MARKS = 50;
const MOST_REPEATS = 2;

// The pattern that marks what a search looks for; null where the server's expression is none to the browser.
export function wordsOf({ text, mode, ignore_case: isCaseIgnored }) {
  if (!text) return null;
  if (mode === "regex" && !isQuick(text)) return null;
  const source = mode === "regex" ? text : text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
  try {
    return new RegExp(source, isCaseIgnored ? "giu" : "gu");
  } catch {
    return null;
  }
}

// The server's expressions always end in time, the browser's do not: those that may take long are not tried.
function isQuick(expression) {
  const repeats = expression.match(/[*+]|\{\d*,\}/g) ?? [];
  return repeats.length <= MOST_REPEATS && !/\)[*+?{]|\\[1-9k]/.test(expression);
}

export function marked(text, words) {
  if (!words) return [text];
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(words)) {
    if (match[0] === "" || parts.length > 2 * MOST_MARKS) continue;
    parts.push(text.slice(from, match.index), element("mark", {}, match[0]));
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  return parts;
}
