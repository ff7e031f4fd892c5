// Grid or list: two buttons that say which it is.

import { find } from "./dom.js";

export class LayoutChoice {
  constructor(prefix, grid, onChange = () => {}) {
    Object.assign(this, { grid, onChange });
    this.buttons = { grid: find(`${prefix}-grid`), list: find(`${prefix}-list`) };
    for (const [layout, button] of Object.entries(this.buttons)) {
      button.addEventListener("click", () => this.choose(layout));
    }
    this.choose("grid");
  }

  choose(layout) {
    this.grid.arrange(layout);
    for (const [name, button] of Object.entries(this.buttons)) {
      button.setAttribute("aria-pressed", String(name === layout));
    }
    this.onChange();
  }

  toggle() { this.choose(this.grid.layout === "grid" ? "list" : "grid"); }
}
