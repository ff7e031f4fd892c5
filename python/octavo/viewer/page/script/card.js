// One record on the screen: what the grid and the list show of it. What a record says is set as text, never as markup.

import { element, icon, replaceChildren } from "./dom.js";
import { briefly, bytes, count } from "./format.js";
import { marked } from "./marking.js";
import { format } from "./routes.js";

export const TINY_PX = 64; // digits and icons: enlarged as the pixels they are
const UNREADABLE = "The image cannot be shown";

export function makeCard(number) {
  const looks = { role: "gridcell", class: "card", tabindex: "-1" };
  return element("div", { ...looks, "data-number": number, "data-status": "pending" });
}

// `card` is null while it is being read. `words` is what to mark in the text, or null.
export function fillCard(shown, card, { number, isChosen, decoder, words }) {
  const isKnown = card !== null && card !== undefined && card.status !== "later";
  shown.dataset.status = isKnown ? card.status : "pending";
  shown.dataset.kind = (isKnown && card.kind) || "";
  chooseCard(shown, isChosen);
  shown.setAttribute("aria-label", nameOf(number, isKnown ? card : null));
  const label = `Select record ${count(number)}`;
  const check = element("input", { type: "checkbox", class: "card-check", tabindex: "-1", "aria-label": label });
  check.checked = isChosen;
  const href = format("record", { as: decoder }, number);
  const link = element("a", { class: "card-number", tabindex: "-1", href }, count(number));
  replaceChildren(
    shown,
    check,
    preview(isKnown ? card : null, words),
    element("div", { class: "card-caption" }, link, isKnown ? kindOf(card) : null, isKnown ? sizeOf(card) : null),
    isKnown ? summary(card) : element("p", { class: "card-summary" }),
  );
}

export function chooseCard(shown, isChosen) {
  shown.setAttribute("aria-selected", String(isChosen));
  const check = shown.querySelector(".card-check");
  if (check !== null) check.checked = isChosen;
}

// What a screen reader says of it: not the whole text, but what tells it from others.
function nameOf(number, card) {
  const record = `Record ${count(number)}`;
  if (card === null) return `${record}, being read`;
  const size = card.bytes === null ? null : bytes(card.bytes);
  const kind = card.status === "ok" ? card.kind : card.status;
  return [record, kind, size, card.name ?? card.summary].filter(Boolean).join(", ");
}

function preview(card, words) {
  const frame = element("div", { class: "card-preview" });
  if (card === null) frame.append(element("span", { class: "skeleton" }));
  else if (card.status === "failed") frame.append(problem("damage", "Could not be read", card.reason));
  else if (card.status === "damaged") frame.append(problem("damage", "Damaged", card.reason));
  else if (card.status === "large") frame.append(problem("file", `Large: ${bytes(card.bytes)}`, card.reason));
  else if (card.image !== null) frame.append(thumbnail(card));
  else if (card.snippet !== "") frame.append(element("pre", { class: "card-text" }, ...marked(card.snippet, words)));
  else frame.append(element("span", { class: "card-glyph", "aria-hidden": "true" }, glyph(card)));
  return frame;
}

const glyph = ({ kind }) => (kind === "audio" ? icon("audio") : kind ?? "");

function thumbnail(card) {
  const { src, width, height } = card.image;
  const isTiny = Math.max(width, height) <= TINY_PX;
  const looks = { class: isTiny ? "tiny" : null, alt: "", width, height, draggable: "false" };
  const image = element("img", { ...looks, loading: "lazy", decoding: "async" });
  image.addEventListener("error", () => image.replaceWith(element("span", { class: "card-problem" }, UNREADABLE)));
  image.src = src;
  return image;
}

function problem(sign, title, reason) {
  return element(
    "div", { class: "card-problem" },
    element("strong", {}, icon(sign), title),
    reason ? element("span", { title: reason }, briefly(reason)) : null,
  );
}

const kindOf = (card) => (card.kind ? element("span", { class: "kind" }, card.kind) : null);

const sizeOf = (card) => (card.bytes === null ? null : element("span", { class: "card-size" }, bytes(card.bytes)));

function summary(card) {
  const text = card.name ?? (card.status === "ok" ? card.summary : "");
  const title = card.name === null ? text : `${card.name}: ${card.summary}`;
  return element("p", { class: "card-summary", title }, text);
}
