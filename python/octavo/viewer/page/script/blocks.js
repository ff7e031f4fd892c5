// What a decoder made of a record, block by block, as elements.

import { drawAudio, drawImage } from "./block_media.js";
import { drawHex } from "./block_hex.js";
import { drawText } from "./block_text.js";
import { element } from "./dom.js";
import { count } from "./format.js";

const DRAWERS = {
  text: drawText,
  image: drawImage,
  audio: drawAudio,
  hex: drawHex,
  facts: drawFacts,
  table: drawTable,
  note: drawNote,
  section: drawSection,
};

// Kinds that a newer server may send are named, not dropped.
export function drawBlocks(blocks, context) {
  return blocks.map((block) => (DRAWERS[block.type] ?? drawUnknown)(block, context));
}

function drawFacts({ title, rows }) {
  const list = element("dl", { class: "facts" }, ...rows.map(([name, value]) => (
    element("div", {}, element("dt", {}, name), element("dd", {}, value))
  )));
  return element("div", { class: "block block-facts" }, title ? element("h3", {}, title) : null, list);
}

function drawTable({ title, columns, rows, left_out: leftOut }) {
  const head = element("tr", {}, ...columns.map((column) => element("th", { scope: "col" }, column)));
  const body = rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
  return element(
    "div", { class: "block block-table" },
    title ? element("h3", {}, title) : null,
    element("div", { class: "scrolls", role: "group", tabindex: "0", "aria-label": title || "Table" }, table),
    leftOut > 0 ? element("p", { class: "faint" }, `${count(leftOut)} more rows are not shown.`) : null,
  );
}

function drawNote({ text, level }) {
  const name = level === "warning" ? "Warning" : "Note";
  return element("p", { class: `block block-note ${level}`, role: "note", "aria-label": name }, text);
}

function drawSection({ title, blocks }, context) {
  const looks = { class: "block-section", role: "group", "aria-label": title };
  return element("div", looks, element("h3", {}, title), ...drawBlocks(blocks, context));
}

function drawUnknown({ type }) {
  return drawNote({ text: `This page does not know how to show "${type}".`, level: "info" });
}
