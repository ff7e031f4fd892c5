// All records, as a grid or a list.

import { CardGrid } from "./card_grid.js";
import { DamageStrip } from "./damage_strip.js";
import { find } from "./dom.js";
import { LayoutChoice } from "./layout_choice.js";
import { count, numberFrom, plural, share } from "./format.js";
import { format, go, note } from "./routes.js";
import { say, showPlace } from "./status.js";

export class RecordsView {
  constructor({ about, selection, damage, decoding }) {
    Object.assign(this, { about, damage, decoding });
    this.title = "records";
    const total = about.record_count;
    this.grid = new CardGrid(find("records-stage"), {
      label: "Records",
      selection,
      source: { count: total, isWhole: true, numberAt: (index) => index, indexOf: (number) => number },
      onOpen: (number) => go(format("record", { as: decoding.name }, number)),
      onPlace: (indexes) => this.placed(indexes),
      onCards: (cards) => damage.addCards(cards),
    });
    this.strip = new DamageStrip(find("records-stage"), { damage, total, onChoose: (number) => this.goTo(number) });
    this.grid.empty.textContent = "There are no records here.";
    this.isShown = false;
    this.noting = 0;
    this.address = null; // the one last followed or noted
    this.layout = new LayoutChoice("layout", this.grid, () => this.noteSoon());
    this.startTools(total);
  }

  startTools(total) {
    const grid = this.grid;
    find("of-total").textContent = `of ${count(total)}`;
    find("first").addEventListener("click", () => grid.moveCursor(0, { focus: false }));
    find("last").addEventListener("click", () => grid.moveCursor(total - 1, { focus: false }));
    find("previous").addEventListener("click", () => grid.moveCursor(grid.cursor - 1, { focus: false }));
    find("next").addEventListener("click", () => grid.moveCursor(grid.cursor + 1, { focus: false }));
    find("next-damage").addEventListener("click", () => this.goToDamage());
    find("goto").addEventListener("focus", (event) => event.target.select());
    find("goto").addEventListener("blur", () => this.drawGoto());
    find("goto").addEventListener("input", (event) => event.target.removeAttribute("aria-invalid"));
    find("goto-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit(find("goto").value, total);
    });
    this.damage.addEventListener("change", () => { find("next-damage").hidden = this.damage.ranges.length === 0; });
    this.decoding.addEventListener("change", () => {
      if (!this.isShown) return;
      this.grid.decodeAs(this.decoding.name);
      this.noteSoon();
    });
  }

  show({ options }, { from }) {
    this.isShown = true;
    this.address = location.hash;
    this.grid.decodeAs(this.decoding.name);
    if (options.layout === "list" || options.layout === "grid") this.layout.choose(options.layout);
    const at = numberFrom(options.at ?? "", this.about.record_count);
    this.grid.measure();
    if (at !== null) this.grid.moveCursor(at, { how: this.grid.isShown(at) ? "reveal" : "top", focus: false });
    if (at === null && options.at !== undefined) this.sayMissing(options.at);
    if (from === "record") this.grid.moveCursor(this.grid.cursor, { how: "stay" });
    this.drawGoto();
  }

  takeFocus() { this.grid.moveCursor(this.grid.cursor, { how: "stay" }); }

  hide() {
    this.isShown = false;
    clearTimeout(this.noting);
  }

  // Where Esc in a record leads.
  addressOf(number) {
    return format("records", { at: number, layout: this.grid.layout === "list" ? "list" : "", as: this.decoding.name });
  }

  goTo(number) {
    this.grid.moveCursor(number, { how: this.grid.isShown(number) ? "reveal" : "top" });
  }

  goToDamage() {
    const next = this.damage.after(this.grid.cursor);
    if (next === null) return;
    this.goTo(next.start);
    say(`Damage at record ${count(next.start)}, ${plural(next.stop - next.start, "record")}`);
  }

  submit(text, total) {
    if (text.trim() === "") return;
    const number = numberFrom(text, total);
    if (number === null) {
      find("goto").setAttribute("aria-invalid", "true");
      this.sayMissing(text);
      return;
    }
    this.goTo(number);
    this.drawGoto();
    say(`Record ${count(number)}`);
  }

  sayMissing(text) {
    const total = this.about.record_count;
    const range = total === 0 ? "there are none" : `they are numbered from 0 to ${count(total - 1)}`;
    say(`There is no record ${text}: ${range}.`);
  }

  current() {
    return this.grid.isShown(this.grid.cursor) ? this.grid.cursor : this.grid.scroller.firstRow * this.grid.columns;
  }

  drawGoto() {
    const box = find("goto");
    if (document.activeElement === box || this.about.record_count === 0) return;
    box.value = count(this.current());
    box.removeAttribute("aria-invalid");
  }

  placed(indexes) {
    if (!this.isShown || indexes.length === 0) return;
    const total = this.about.record_count;
    const [first, last] = [indexes[0], indexes.at(-1)];
    showPlace(`${count(first)} – ${count(last)} of ${plural(total, "record")} · ${share(last + 1, total)}`);
    this.drawGoto();
    this.noteSoon();
  }

  noteSoon() {
    clearTimeout(this.noting);
    this.noting = setTimeout(() => {
      // A link may have been followed, of which the event is still to come.
      if (!this.isShown || location.hash !== this.address) return;
      note(this.addressOf(this.current()));
      this.address = location.hash;
    }, 150);
  }

  reload() { this.grid.reload(); }

  key(event) {
    if (event.key === "v") {
      this.layout.toggle();
      return true;
    }
    if (event.key === "d" && this.damage.ranges.length > 0) {
      this.goToDamage();
      return true;
    }
    return this.grid.key(event);
  }
}
