// Cards in rows: the scroller, the store of cards, the cursor and the choice, for all records and for those found.
//
// `source` says what is shown: count, numberAt(index) and indexOf(number). The cursor is an index into it.

import { chooseCard, fillCard, makeCard } from "./card.js";
import { CardStore } from "./card_store.js";
import { element } from "./dom.js";
import { count } from "./format.js";
import { Scroller } from "./scroller.js";
import { SELECTION_LIMIT } from "./selection.js";
import { say } from "./status.js";

const GRID = { leastRem: 13.5, rowRem: 15, gapRem: 0.75 };
const LIST = { rowRem: 3.25 };

export class CardGrid {
  constructor(stage, { label, source, selection, onOpen, onPlace, onCards = () => {} }) {
    Object.assign(this, { source, selection, onOpen, onPlace, onCards });
    this.viewport = element("div", {
      class: "cards", role: "grid", tabindex: "-1", "aria-label": label, "aria-multiselectable": "true",
    });
    this.empty = element("p", { class: "empty" });
    stage.append(this.viewport, this.empty);
    this.store = new CardStore((cards) => this.took(cards));
    this.scroller = new Scroller(this.viewport, {
      makeRow: (row) => this.makeRow(row),
      onRows: (first, last) => this.onPlace(this.indexesOf(first, last)),
      onSettled: (first, last) => this.settled(first, last),
    });
    this.layout = "grid";
    this.columns = 1;
    this.cursor = 0;
    this.anchor = null;
    this.words = null;
    this.viewport.addEventListener("click", (event) => this.clicked(event));
    this.viewport.addEventListener("focusin", (event) => this.focused(event));
    new ResizeObserver(() => this.measure()).observe(this.viewport);
    selection.addEventListener("change", () => this.drawChoice());
  }

  arrange(layout) {
    if (this.layout === layout && this.viewport.dataset.layout === layout) return;
    this.layout = layout;
    this.viewport.dataset.layout = layout;
    this.redraw();
  }

  decodeAs(name) {
    if (this.store.decoder === name) return;
    this.store.decodeAs(name);
    this.redraw();
  }

  // All anew: other cards, or other looks.
  redraw() {
    this.scroller.forget();
    this.measure();
  }

  reload() {
    this.store.forget();
    this.redraw();
  }

  // From the size of the region to columns and rows; the first card on the screen stays there.
  measure() {
    const isEmpty = this.source.count === 0;
    this.viewport.hidden = isEmpty;
    this.empty.hidden = !isEmpty;
    if (isEmpty || this.viewport.clientHeight === 0) return;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const shape = this.layout === "grid" ? GRID : LIST;
    const width = this.viewport.clientWidth;
    const columns = this.layout === "grid"
      ? Math.max(1, Math.floor((width - shape.gapRem * rem) / ((shape.leastRem + shape.gapRem) * rem)))
      : 1;
    const isOther = columns !== this.columns;
    const kept = this.isShown(this.cursor) ? this.cursor : null;
    if (isOther) {
      this.scroller.place.row = Math.floor((this.scroller.firstRow * this.columns) / columns);
      this.columns = columns;
      this.scroller.forget();
    }
    const rows = Math.ceil(this.source.count / columns);
    this.viewport.style.setProperty("--columns", columns);
    this.viewport.setAttribute("aria-rowcount", rows);
    this.viewport.setAttribute("aria-colcount", columns);
    this.scroller.shape(rows, Math.round(shape.rowRem * rem));
    if (isOther && kept !== null) this.scroller.reveal(Math.floor(kept / columns));
    this.takeFocusBack();
  }

  // Cards that were drawn anew left the focus to the region around them.
  takeFocusBack() {
    if (document.activeElement === this.viewport) this.cellAt(this.cursor)?.focus({ preventScroll: true });
  }

  // More has come to the source: the last row may have been incomplete.
  grew(from) {
    if (from === 0) this.cursor = 0;
    const row = Math.floor(Math.max(0, from - 1) / this.columns);
    const shown = this.scroller.rowElement(row);
    if (shown !== undefined && from > 0 && from % this.columns !== 0) {
      const missing = this.indexesOf(row, row).slice(shown.children.length);
      shown.append(...missing.map((index) => this.makeCell(index)));
    }
    this.measure();
  }

  makeRow(row) {
    const cells = this.indexesOf(row, row).map((index) => this.makeCell(index));
    return element("div", { role: "row", class: "cards-row", "aria-rowindex": row + 1 }, ...cells);
  }

  makeCell(index) {
    const cell = makeCard(this.source.numberAt(index));
    cell.setAttribute("aria-colindex", (index % this.columns) + 1);
    cell.dataset.index = index;
    cell.tabIndex = index === this.cursor ? 0 : -1;
    cell.classList.toggle("cursor", index === this.cursor);
    this.fill(cell);
    return cell;
  }

  fill(cell) {
    const number = Number(cell.dataset.number);
    const { decoder } = this.store;
    const card = this.store.get(number);
    fillCard(cell, card, { number, isChosen: this.selection.has(number), decoder, words: this.words });
  }

  indexesOf(firstRow, lastRow) {
    const start = firstRow * this.columns;
    const stop = Math.min(this.source.count, (lastRow + 1) * this.columns);
    return Array.from({ length: Math.max(0, stop - start) }, (_, at) => start + at);
  }

  settled(first, last) {
    this.keepReachable();
    this.store.want(this.indexesOf(first, last).map((index) => this.source.numberAt(index)));
  }

  took(cards) {
    const numbers = new Set(cards.map((card) => card.number));
    for (const cell of this.cells()) {
      if (numbers.has(Number(cell.dataset.number))) this.fill(cell);
    }
    this.onCards(cards);
  }

  cells() { return this.viewport.querySelectorAll(".card"); }

  cellAt(index) { return this.viewport.querySelector(`.card[data-index="${index}"]`); }

  isShown(index) {
    const row = Math.floor(index / this.columns);
    return row >= this.scroller.firstRow && row <= this.scroller.lastRow;
  }

  // Moves the cursor; `how` is "reveal" (as little as needed), "top" (its row becomes the first) or "stay".
  moveCursor(index, { how = "reveal", focus = true } = {}) {
    if (this.source.count === 0) return;
    this.cursor = Math.min(this.source.count - 1, Math.max(0, index));
    const row = Math.floor(this.cursor / this.columns);
    if (how === "top") this.scroller.moveTo(row);
    if (how === "reveal") this.scroller.reveal(row);
    this.drawCursor();
    if (focus) this.cellAt(this.cursor)?.focus({ preventScroll: true });
    this.onPlace(this.indexesOf(this.scroller.firstRow, this.scroller.lastRow));
  }

  // By keys: from the cursor, or into the screen where the cursor has been scrolled away.
  step(by) {
    if (!this.isShown(this.cursor)) {
      const isCut = this.scroller.place.offset > 0 && this.scroller.lastRow > this.scroller.firstRow;
      this.moveCursor((this.scroller.firstRow + (isCut ? 1 : 0)) * this.columns);
      return;
    }
    const wanted = this.cursor + by;
    const isSideways = Math.abs(by) === 1;
    if (!isSideways && (wanted < 0 || wanted >= this.source.count)) return;
    this.moveCursor(wanted);
  }

  page(direction) {
    const rows = Math.max(1, Math.floor(this.scroller.place.viewPx / this.scroller.place.rowPx));
    this.scroller.moveByRows(direction * rows);
    this.moveCursor(this.cursor + direction * rows * this.columns);
  }

  drawCursor() {
    for (const cell of this.cells()) {
      const isCursor = Number(cell.dataset.index) === this.cursor;
      cell.tabIndex = isCursor ? 0 : -1;
      cell.classList.toggle("cursor", isCursor);
    }
  }

  // Tab must always lead into the grid, also when the cursor is far away.
  keepReachable() {
    if (this.cellAt(this.cursor) !== null) return;
    const first = this.cellAt(this.scroller.firstRow * this.columns);
    if (first !== null) first.tabIndex = 0;
  }

  drawChoice() {
    for (const cell of this.cells()) chooseCard(cell, this.selection.has(Number(cell.dataset.number)));
  }

  choose(index, isRange) {
    const number = this.source.numberAt(index);
    const isFine = isRange && this.anchor !== null
      ? this.chooseBetween(this.anchor, index)
      : this.selection.toggle(number);
    this.anchor = index;
    if (!isFine) {
      this.drawChoice();
      say(`At most ${count(SELECTION_LIMIT)} records can be selected.`);
    }
  }

  chooseBetween(one, other) {
    const first = Math.min(one, other);
    const last = Math.max(one, other);
    if (last - first >= SELECTION_LIMIT) return false;
    if (this.source.isWhole) return this.selection.set(first, last + 1, true);
    const numbers = Array.from({ length: last - first + 1 }, (_, at) => this.source.numberAt(first + at));
    return this.selection.add(numbers);
  }

  focused(event) {
    const cell = event.target.closest(".card");
    if (cell === null || Number(cell.dataset.index) === this.cursor) return;
    this.cursor = Number(cell.dataset.index);
    this.drawCursor();
  }

  clicked(event) {
    const cell = event.target.closest(".card");
    if (cell === null) return;
    const index = Number(cell.dataset.index);
    if (event.target.matches(".card-check") || event.ctrlKey || event.metaKey || event.shiftKey) {
      if (event.target.closest("a") !== null && !event.shiftKey) return; // a new tab
      if (!event.target.matches(".card-check")) event.preventDefault();
      this.choose(index, event.shiftKey);
      this.moveCursor(index, { how: "stay" });
      return;
    }
    this.moveCursor(index, { how: "stay" });
    if (event.target.closest("a") === null) this.onOpen(Number(cell.dataset.number));
  }

  key(event) {
    const steps = {
      j: 1, l: 1, ArrowRight: 1, k: -1, h: -1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns,
    };
    if (this.source.count === 0) return false;
    const isOnControl = event.target.closest("button, a, summary") !== null;
    const { key } = event;
    if (steps[key] !== undefined) this.step(steps[key]);
    else if (key === "PageDown") this.page(1);
    else if (key === "PageUp") this.page(-1);
    else if (key === "Home") this.moveCursor(0);
    else if (key === "End" || key === "G") this.moveCursor(this.source.count - 1);
    else if (key === "x" || key === "X") this.choose(this.cursor, event.shiftKey);
    else if (key === " " && !isOnControl && !event.target.matches("input")) this.choose(this.cursor, event.shiftKey);
    else if (key === "Enter" && !isOnControl) this.onOpen(this.source.numberAt(this.cursor));
    else return false;
    return true;
  }
}
