// A thin strip beside the scrollbar that shows where damage lies in the whole file. The "Next damage" button does the
// same by keyboard, so the strip itself is for the eye and the mouse.

import { element, replaceChildren } from "./dom.js";

const MOST_MARKS = 300;

export class DamageStrip {
  constructor(stage, { damage, total, onChoose }) {
    Object.assign(this, { damage, total, onChoose });
    this.strip = element("div", { class: "damage-strip", "aria-hidden": "true", hidden: true });
    this.strip.addEventListener("click", (event) => this.clicked(event));
    stage.append(this.strip);
    damage.addEventListener("change", () => this.draw());
  }

  draw() {
    const { ranges } = this.damage;
    this.strip.hidden = ranges.length === 0;
    // Marks closer than a share of the strip are one.
    const marks = new Map();
    for (const [start, stop] of ranges) {
      const slot = Math.floor((start / this.total) * MOST_MARKS);
      const mark = marks.get(slot) ?? { start, stop };
      mark.stop = Math.max(mark.stop, stop);
      marks.set(slot, mark);
    }
    replaceChildren(this.strip, ...[...marks.values()].map((mark) => this.drawMark(mark)));
  }

  drawMark({ start, stop }) {
    const mark = element("span", { class: "damage-mark", "data-number": start });
    mark.style.top = `${(100 * start) / this.total}%`;
    mark.style.height = `${(100 * (stop - start)) / this.total}%`;
    return mark;
  }

  clicked(event) {
    const mark = event.target.closest(".damage-mark");
    if (mark !== null) this.onChoose(Number(mark.dataset.number));
  }
}
