// The chunks of one file: a map with one cell each, coloured by how well it compressed, and the ratio along the file.
//
// The map is one control that a slider describes: arrows move from chunk to chunk, Enter goes to its first record.

import { get, quietly } from "./api.js";
import { drawRatios, ratioOf } from "./chunk_ratios.js";
import { element, replaceChildren } from "./dom.js";
import { bytes, count, plural } from "./format.js";
import { whenThemed } from "./theme.js";

const CELL = 14;
const GAP = 2;

export class ChunkMap {
  constructor(place, { damage, onRecord }) {
    Object.assign(this, { place, damage, onRecord });
    this.chunks = [];
    this.current = 0;
    this.canvas = element("canvas", {
      class: "chunk-map", tabindex: "0", role: "slider", "aria-label": "Chunk", "aria-valuemin": "0",
    });
    this.about = element("p", { class: "chunk-about" });
    this.canvas.addEventListener("pointermove", (event) => this.pointed(event));
    this.canvas.addEventListener("click", (event) => { this.pointed(event); this.open(); });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("focus", () => this.draw());
    this.canvas.addEventListener("blur", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(place);
    damage.addEventListener("change", () => this.draw());
    whenThemed(() => this.draw());
  }

  async read(file) {
    await quietly(async () => {
      const answer = await get("api/chunks", { file });
      this.chunks = answer.chunks;
      this.current = 0;
      this.drawAll(answer);
    }, (problem) => replaceChildren(this.place, element("p", { class: "faint" }, problem)));
  }

  drawAll({ path, chunk_count: total, shown, file_bytes: fileBytes }) {
    const name = path.split("/").at(-1);
    if (this.chunks.length === 0) {
      const text = "the records of this format lie one after another, without chunks";
      replaceChildren(this.place, element("p", { class: "faint" }, `${name}: ${text}; ${bytes(fileBytes)} in all.`));
      return;
    }
    const sampled = shown < total ? `, of which ${count(shown)} are shown, evenly spread` : "";
    this.canvas.setAttribute("aria-valuemax", this.chunks.length - 1);
    const hasRatios = this.chunks.some((chunk) => ratioOf(chunk) !== null);
    replaceChildren(
      this.place,
      element("p", { class: "faint" }, `${name}: ${plural(total, "chunk")}${sampled}; ${bytes(fileBytes)}`),
      this.canvas,
      this.about,
      element("ul", { class: "legend" }, ...legend(hasRatios)),
      hasRatios ? drawRatios(this.chunks) : null,
    );
    this.choose(0);
  }

  get columns() { return Math.max(1, Math.floor((this.place.clientWidth - GAP) / (CELL + GAP))); }

  draw() {
    const width = this.place.clientWidth;
    if (this.chunks.length === 0 || width === 0) return;
    const { columns } = this;
    const rows = Math.ceil(this.chunks.length / columns);
    const height = rows * (CELL + GAP) + GAP;
    const scale = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    const pen = this.canvas.getContext("2d");
    pen.scale(scale, scale);
    const style = getComputedStyle(this.canvas);
    const colours = [1, 2, 3, 4, 5].map((step) => style.getPropertyValue(`--ratio-${step}`));
    this.chunks.forEach((chunk, at) => {
      const [x, y] = this.cornerOf(at, columns);
      const isDamaged = this.isDamaged(chunk);
      pen.fillStyle = isDamaged ? style.getPropertyValue("--damage") : colours[stepOf(chunk)];
      pen.fillRect(x, y, CELL, CELL);
      if (isDamaged) this.cross(pen, x, y, style.getPropertyValue("--surface"));
      if (at === this.current) this.frame(pen, x, y, style.getPropertyValue("--text"));
    });
  }

  cornerOf(at, columns) {
    return [GAP + (at % columns) * (CELL + GAP), GAP + Math.floor(at / columns) * (CELL + GAP)];
  }

  // Damage is told by shape too, not by colour alone.
  cross(pen, x, y, colour) {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x + 4, y + 4);
    pen.lineTo(x + CELL - 4, y + CELL - 4);
    pen.moveTo(x + CELL - 4, y + 4);
    pen.lineTo(x + 4, y + CELL - 4);
    pen.stroke();
  }

  frame(pen, x, y, colour) {
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.strokeRect(x - 0.5, y - 0.5, CELL + 1, CELL + 1);
  }

  isDamaged({ first_record: first, records }) { return this.damage.overlaps(first, first + Math.max(1, records)); }

  choose(at) {
    this.current = Math.min(this.chunks.length - 1, Math.max(0, at));
    const text = this.describe(this.chunks[this.current]);
    this.canvas.setAttribute("aria-valuenow", this.current);
    this.canvas.setAttribute("aria-valuetext", text);
    this.about.textContent = text;
    this.draw();
  }

  describe(chunk) {
    const ratio = ratioOf(chunk);
    return [
      `Chunk ${count(chunk.number)} at offset ${count(chunk.offset)}`,
      bytes(chunk.bytes),
      chunk.records > 0 ? `${plural(chunk.records, "record")} from ${count(chunk.first_record)}` : "no records",
      ratio === null ? null : `${ratio.toFixed(2)} : 1 from ${bytes(chunk.decoded_bytes)}`,
      chunk.codec,
      this.isDamaged(chunk) ? "damaged" : null,
    ].filter(Boolean).join(" · ");
  }

  pointed(event) {
    const box = this.canvas.getBoundingClientRect();
    const { columns } = this;
    const column = Math.min(columns - 1, Math.floor((event.clientX - box.left - GAP) / (CELL + GAP)));
    const at = Math.floor((event.clientY - box.top - GAP) / (CELL + GAP)) * columns + Math.max(0, column);
    if (at !== this.current && at >= 0 && at < this.chunks.length) this.choose(at);
  }

  open() {
    const chunk = this.chunks[this.current];
    if (chunk.records > 0) this.onRecord(chunk.first_record);
  }

  key(event) {
    const steps = {
      ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns, PageDown: 10 * this.columns,
      PageUp: -10 * this.columns, Home: -Infinity, End: Infinity,
    };
    if (event.key === "Enter") this.open();
    else if (steps[event.key] !== undefined) this.choose(this.current + steps[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

const LIMITS = [1.1, 1.5, 2.5, 4];

function stepOf(chunk) {
  const ratio = ratioOf(chunk) ?? 1;
  const step = LIMITS.findIndex((limit) => ratio < limit);
  return step < 0 ? LIMITS.length : step;
}

function legend(hasRatios) {
  const titles = hasRatios ? ["not compressed", ...LIMITS.map((limit) => `from ${limit} : 1`)] : ["chunk"];
  const entry = (looks, title) => element("li", {}, element("span", { class: `swatch ${looks}` }), title);
  return [...titles.map((title, at) => entry(`ratio-${at + 1}`, title)), entry("damaged", "damaged")];
}
