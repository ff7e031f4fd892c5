// Bytes: their offset, sixteen in hex, and as ASCII. More of them are read when asked for.

import { getBytes, quietly } from "./api.js";
import { element } from "./dom.js";
import { count, exactBytes } from "./format.js";
import { say } from "./status.js";

const LINE = 16;
const PART = 16_384; // 1024 lines

export function drawHex({ offset, total, base64 }, { number }) {
  const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  let until = offset + content.length;
  const looks = { class: "hex scrolls", tabindex: "0", role: "group", "aria-label": "Bytes" };
  const lines = element("pre", looks, linesOf(content, offset));
  const reach = element("p", { class: "faint" });
  const more = element("button", { type: "button" }, "Show more");
  const drawReach = () => {
    const isAll = total === null || until >= total;
    if (isAll && document.activeElement === more) lines.focus({ preventScroll: true });
    more.hidden = isAll || number === undefined;
    reach.textContent = isAll ? "" : `Bytes ${count(offset)} to ${count(until - 1)} of ${exactBytes(total)}`;
    reach.hidden = isAll;
  };
  more.addEventListener("click", () => quietly(async () => {
    if (more.getAttribute("aria-disabled") === "true") return; // disabled for good, it would lose the focus
    more.setAttribute("aria-disabled", "true");
    try {
      const length = Math.min(PART, total - until);
      const part = await getBytes(`api/record/${number}/part`, { offset: until, length });
      lines.append(`\n${linesOf(part, until)}`);
      until += part.length;
      drawReach();
    } finally {
      more.removeAttribute("aria-disabled");
    }
  }, (problem) => say(`The bytes could not be read: ${problem}`)));
  drawReach();
  return element("div", { class: "block block-hex" }, lines, element("div", { class: "group" }, reach, more));
}

function linesOf(content, offset) {
  const lines = [];
  for (let at = 0; at < content.length; at += LINE) {
    const part = [...content.subarray(at, at + LINE)];
    const hex = part.map((byte, place) => byte.toString(16).padStart(2, "0") + (place === 7 ? " " : "")).join(" ");
    const ascii = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
    lines.push(`${(offset + at).toString(16).padStart(8, "0")}  ${hex.padEnd(3 * LINE)}  ${ascii}`);
  }
  return lines.join("\n");
}
