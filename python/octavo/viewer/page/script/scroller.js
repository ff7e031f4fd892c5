// A scrollable region that holds only the rows on the screen, over any number of rows.
//
// The rows lie in a layer that stays put while the browser scrolls a tall, empty spacer; each movement of the scrollbar
// is turned into a movement of the exact `Place`, and the rows are laid out from that. Small movements (wheel, touch,
// the arrows of the scrollbar) count pixel by pixel; large ones are a drag of the thumb and are taken as a share.

import { element } from "./dom.js";
import { Place } from "./place.js";

const OVERSCAN_ROWS = 1;
const SETTLE_MS = 80;
const REST_MS = 250;
const WHEEL_MS = 400; // a wheel's smooth scroll goes on for about this long

export class Scroller {
  // makeRow(row) -> element; onRows(first, last) for each drawing; onSettled(first, last) when it has come to rest.
  constructor(viewport, { makeRow, onRows, onSettled }) {
    Object.assign(this, { viewport, makeRow, onRows, onSettled });
    this.place = new Place();
    this.made = new Map();
    this.layer = element("div", { class: "scroll-layer" });
    this.spacer = element("div", { class: "scroll-spacer" });
    viewport.append(this.layer, this.spacer);
    this.expected = 0;
    this.wheeledAt = -Infinity;
    this.touching = false;
    this.frame = 0;
    this.settling = 0;
    this.resting = 0;
    viewport.addEventListener("scroll", () => this.scrolled(), { passive: true });
    viewport.addEventListener("wheel", () => { this.wheeledAt = performance.now(); }, { passive: true });
    viewport.addEventListener("touchstart", () => { this.touching = true; }, { passive: true });
    viewport.addEventListener("touchend", () => this.released(), { passive: true });
    viewport.addEventListener("touchcancel", () => this.released(), { passive: true });
  }

  shape(rows, rowPx) {
    const viewPx = this.viewport.clientHeight;
    if (viewPx === 0) return; // not on the screen
    this.place.shape({ rows, rowPx, viewPx });
    this.spacer.style.height = `${Math.max(0, this.place.spacerPx)}px`;
    this.recentre();
    this.draw();
    this.settleSoon();
  }

  moveTo(row) {
    this.place.moveTo(row);
    this.arrive();
  }

  moveByRows(rows) {
    this.place.moveTo(Math.max(0, this.place.row + rows), this.place.offset);
    this.arrive();
  }

  reveal(row) {
    const before = this.place.pixel;
    this.place.reveal(row);
    if (this.place.pixel !== before) this.arrive();
  }

  // The rows of which something is on the screen.
  get firstRow() { return this.place.row; }
  get lastRow() { return Math.min(this.place.rows - 1, this.place.lastRow); }

  // Those and a few around them.
  get drawnRows() {
    const first = Math.max(0, this.place.row - OVERSCAN_ROWS);
    return { first, last: Math.min(this.place.rows - 1, this.place.lastRow + OVERSCAN_ROWS) };
  }

  rowElement(row) { return this.made.get(row); }

  // Throws away what was made: the next drawing makes it again.
  forget() {
    if (this.layer.contains(document.activeElement)) this.viewport.focus({ preventScroll: true });
    for (const row of this.made.values()) row.remove();
    this.made.clear();
  }

  arrive() {
    this.recentre();
    this.draw();
    this.settleSoon();
  }

  // A finger that lets go leaves a movement behind, which counts as that of a wheel.
  released() {
    this.touching = false;
    this.wheeledAt = performance.now();
  }

  scrolled() {
    const top = this.viewport.scrollTop;
    const moved = top - this.expected;
    if (Math.abs(moved) < 1) return; // ours, as the browser rounded it
    this.expected = top;
    const isSmall = Math.abs(moved) <= 1.5 * this.place.viewPx;
    const isExact = isSmall || this.touching || performance.now() - this.wheeledAt < WHEEL_MS;
    if (this.place.isScaled && isExact) {
      this.place.moveBy(moved);
      // At an end of the scrollbar but not of the list, there must be room to go on.
      const isAtEnd = top <= 0 || top >= this.place.spacerPx - this.place.viewPx - 1;
      if (isAtEnd) this.recentre();
    } else {
      this.place.fromScrollTop(top);
    }
    this.drawSoon();
    this.settleSoon();
    this.restSoon();
  }

  // Only at rest: to set the scrollbar while the browser scrolls would stop it.
  restSoon() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (this.touching) this.restSoon();
      else if (this.viewport.clientHeight > 0) this.recentre();
    }, REST_MS);
  }

  recentre() {
    const wanted = this.place.toScrollTop();
    if (Math.abs(this.viewport.scrollTop - wanted) >= 1) this.viewport.scrollTop = wanted;
    this.expected = this.viewport.scrollTop;
  }

  drawSoon() {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { place } = this;
    const { first, last } = this.drawnRows;
    for (const [row, shown] of this.made) {
      if (row >= first && row <= last) continue;
      if (shown.contains(document.activeElement)) this.viewport.focus({ preventScroll: true });
      shown.remove();
      this.made.delete(row);
    }
    for (let row = first; row <= last; row += 1) {
      let shown = this.made.get(row);
      if (shown === undefined) {
        shown = this.makeRow(row);
        this.made.set(row, shown);
        this.insert(row, shown);
      }
      shown.style.transform = `translateY(${(row - place.row) * place.rowPx - place.offset}px)`;
    }
    this.onRows(this.firstRow, this.lastRow);
  }

  // In order, so that a screen reader meets the rows as they are seen.
  insert(row, shown) {
    let following = null;
    for (const [other, candidate] of this.made) {
      if (other > row && (following === null || other < following.row)) following = { row: other, candidate };
    }
    this.layer.insertBefore(shown, following?.candidate ?? null);
  }

  // A list that only grows below the screen does not put off the reading of what is on it.
  settleSoon() {
    const { first, last } = this.drawnRows;
    const rows = `${first} ${last}`;
    if (this.settling !== 0 && this.settlingRows === rows) return;
    clearTimeout(this.settling);
    this.settlingRows = rows;
    this.settling = setTimeout(() => this.settle(), SETTLE_MS);
  }

  settle() {
    this.settling = 0;
    if (this.viewport.clientHeight === 0) return;
    const { first, last } = this.drawnRows;
    if (last >= first) this.onSettled(first, last);
  }
}
