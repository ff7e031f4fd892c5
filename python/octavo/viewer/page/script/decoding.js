// The chosen decoder, one for all views: "" lets each record be recognised by itself.

import { element, find, replaceChildren } from "./dom.js";

export class Decoding extends EventTarget {
  constructor(decoders) {
    super();
    this.name = "";
    this.names = new Set(decoders.map((decoder) => decoder.name));
    this.boxes = [find("show-as"), find("record-show-as")];
    for (const box of this.boxes) {
      const choices = decoders.map(({ name, title }) => element("option", { value: name }, title));
      replaceChildren(box, element("option", { value: "" }, "Automatic"), ...choices);
      box.addEventListener("change", () => this.choose(box.value));
    }
  }

  choose(name) {
    const known = this.names.has(name) ? name : "";
    for (const box of this.boxes) box.value = known;
    if (known === this.name) return;
    this.name = known;
    this.dispatchEvent(new Event("change"));
  }
}
