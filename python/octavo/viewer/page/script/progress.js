// How far something long has come: a bar, the share, the rate and what is left of it.

import { element, replaceChildren } from "./dom.js";
import { count, share } from "./format.js";

export class Progress {
  constructor(place, label, unit) {
    Object.assign(this, { place, unit });
    this.bar = element("progress", { max: "1", value: "0", "aria-label": label });
    this.text = element("span", { class: "faint" });
    replaceChildren(place, this.bar, this.text);
  }

  start() {
    this.startedAt = performance.now();
    this.place.hidden = false;
    this.bar.removeAttribute("value");
    this.text.textContent = "";
  }

  show([done, total]) {
    const seconds = (performance.now() - this.startedAt) / 1000;
    this.bar.value = total > 0 ? done / total : 0;
    const rate = seconds > 0.5 && done > 0 ? ` · ${count(Math.round(done / seconds))} ${this.unit}/s` : "";
    const isTelling = seconds > 2 && done > 0 && done < total;
    const left = isTelling ? ` · ${duration((seconds * (total - done)) / done)} left` : "";
    this.text.textContent = `${share(done, total)}${rate}${left}`;
  }

  end() { this.place.hidden = true; }
}

function duration(seconds) {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
