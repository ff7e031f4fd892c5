// The exact place in a list of rows that is far taller than a browser can scroll.
//
// The truth is `row` (an integer) and `offset` (pixels into it). The scrollbar only stands for it: up to SPACER_PX both
// agree pixel by pixel; beyond, the first and last EDGE_PX still do, and what lies between is scaled. The edges matter:
// with them, a place near an end leaves the browser room to scroll towards that end.

const SPACER_PX = 8_000_000; // below what every browser lays out exactly
const EDGE_PX = 40_000;

export class Place {
  constructor() {
    this.row = 0;
    this.offset = 0;
    this.rows = 0;
    this.rowPx = 1;
    this.viewPx = 0;
  }

  // Another shape of the same list: the row at the top stays.
  shape({ rows, rowPx, viewPx }) {
    const ratio = this.rowPx > 0 ? this.offset / this.rowPx : 0;
    Object.assign(this, { rows, rowPx, viewPx });
    this.offset = Math.round(ratio * rowPx);
    this.clamp();
  }

  get contentPx() { return this.rows * this.rowPx; }
  get spacerPx() { return Math.min(this.contentPx, SPACER_PX); }
  get isScaled() { return this.contentPx > SPACER_PX; }
  get furthestPx() { return Math.max(0, this.contentPx - this.viewPx); }
  get pixel() { return this.row * this.rowPx + this.offset; }
  get lastRow() { return Math.max(0, Math.ceil((this.offset + this.viewPx) / this.rowPx) - 1 + this.row); }

  moveBy(pixels) {
    const within = this.offset + pixels;
    const rows = Math.floor(within / this.rowPx);
    this.row += rows;
    this.offset = within - rows * this.rowPx;
    this.clamp();
  }

  moveTo(row, offset = 0) {
    this.row = row;
    this.offset = offset;
    this.clamp();
  }

  // The least movement that shows all of a row.
  reveal(row) {
    if (row < this.row || (row === this.row && this.offset > 0)) {
      this.moveTo(row);
    } else if ((row + 1 - this.row) * this.rowPx - this.offset > this.viewPx) {
      // From its top, unclamped, up by what is left of the screen: its end then is the end of the screen.
      this.row = row;
      this.offset = 0;
      this.moveBy(Math.min(0, this.rowPx - this.viewPx));
    }
  }

  toScrollTop() {
    const pixel = this.pixel;
    if (!this.isScaled) return pixel;
    const reach = this.spacerPx - this.viewPx;
    const fromEnd = this.furthestPx - pixel;
    if (pixel <= EDGE_PX) return pixel;
    if (fromEnd <= EDGE_PX) return reach - fromEnd;
    return EDGE_PX + ((pixel - EDGE_PX) / (this.furthestPx - 2 * EDGE_PX)) * (reach - 2 * EDGE_PX);
  }

  fromScrollTop(scrollTop) {
    const reach = this.spacerPx - this.viewPx;
    let pixel = scrollTop;
    if (this.isScaled && scrollTop >= reach - EDGE_PX) {
      pixel = this.furthestPx - (reach - scrollTop);
    } else if (this.isScaled && scrollTop > EDGE_PX) {
      pixel = EDGE_PX + ((scrollTop - EDGE_PX) / (reach - 2 * EDGE_PX)) * (this.furthestPx - 2 * EDGE_PX);
    }
    const row = Math.floor(pixel / this.rowPx);
    this.moveTo(row, pixel - row * this.rowPx);
  }

  clamp() {
    if (this.row < 0) {
      this.row = 0;
      this.offset = 0;
      return;
    }
    // In rows first: the difference of two huge pixel numbers is small, and so exact.
    const beyond = (this.row - this.rows) * this.rowPx + this.offset + this.viewPx;
    if (beyond <= 0) return;
    const furthest = this.furthestPx;
    this.row = Math.floor(furthest / this.rowPx);
    this.offset = furthest - this.row * this.rowPx;
  }
}
