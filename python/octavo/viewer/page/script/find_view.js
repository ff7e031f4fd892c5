// Searching and sampling: the forms, and what came of them in the same grid as all records.

import { get, quietly, stream } from "./api.js";
import { CardGrid } from "./card_grid.js";
import { find } from "./dom.js";
import { FindForm } from "./find_form.js";
import { count, plural } from "./format.js";
import { Found } from "./found.js";
import { LayoutChoice } from "./layout_choice.js";
import { wordsOf } from "./marking.js";
import { Progress } from "./progress.js";
import { format, go, note } from "./routes.js";
import { SELECTION_LIMIT } from "./selection.js";
import { say, showPlace } from "./status.js";

const MOST_FOUND = 10_000; // of one search; "Find more" goes on from there
const UNDER_WAY = { find: "Searching…", sample: "Sampling…" };

export class FindView {
  constructor({ selection, damage, decoding }) {
    Object.assign(this, { selection, damage, decoding });
    this.title = "found";
    this.found = new Found();
    this.grid = new CardGrid(find("find-stage"), {
      label: "Found records",
      selection,
      source: this.found,
      onOpen: (number) => go(format("record", { as: decoding.name }, number)),
      onPlace: (indexes) => this.placed(indexes),
      onCards: (cards) => damage.addCards(cards),
    });
    this.layout = new LayoutChoice("find-layout", this.grid);
    this.form = new FindForm({
      onFind: (query) => this.visit("find", query),
      onSample: (query) => this.visit("sample", query),
    });
    this.progress = new Progress(find("find-progress"), "Progress of the search", "records");
    this.aborter = new AbortController();
    this.asked = null;
    this.isShown = false;
    find("find-cancel").addEventListener("click", () => this.cancel());
    find("find-more").addEventListener("click", () => this.findMore());
    find("select-found").addEventListener("click", () => this.selectFound());
    decoding.addEventListener("change", () => { if (this.isShown) this.grid.decodeAs(decoding.name); });
    this.drawState("Search the records, or look at a sample of them.");
  }

  show({ view, options }, { from }) {
    this.isShown = true;
    this.grid.decodeAs(this.decoding.name);
    this.grid.measure();
    const asked = Object.keys(options).length > 0 ? format(view, options) : null;
    if (asked !== null && asked !== this.asked) this.begin(view, options, asked);
    if (from === "record" && this.found.count > 0) this.grid.moveCursor(this.grid.cursor);
    else if (from !== "find") find("find-text").focus();
    if (asked === null && this.asked !== null) note(this.asked);
    this.placed([]);
  }

  takeFocus() { find("find-text").focus(); }

  hide() { this.isShown = false; }

  // Where Esc in a record leads: back to what was found, at that record.
  addressOf(number) {
    const index = this.found.indexOf(number);
    if (index >= 0) this.grid.cursor = index;
    return this.asked ?? format("find");
  }

  // The same search again is wanted anew. What the last one came to is not left to be read for that of this one.
  visit(view, query) {
    this.asked = null;
    this.drawState(UNDER_WAY[view]);
    const hash = format(view, query);
    if (location.hash === hash) dispatchEvent(new HashChangeEvent("hashchange"));
    else go(hash);
  }

  begin(view, options, asked) {
    this.asked = asked;
    this.form.fill(view, options);
    this.aborter.abort();
    this.grid.scroller.moveTo(0);
    this.found.clear();
    this.grid.anchor = null; // it was a place in another list
    this.grid.words = null;
    this.grid.reload();
    if (view === "sample") this.sample(options);
    else this.search(this.form.queryOf(options), 0);
  }

  async sample({ count: wanted, seed }) {
    const { signal } = this.restart();
    this.drawState(UNDER_WAY.sample);
    await quietly(async () => {
      const { numbers } = await get("api/sample", { count: wanted, seed: seed ?? 0 }, signal);
      this.take(numbers);
      this.end(`${plural(numbers.length, "record")} at random, seed ${seed ?? 0}`);
    }, (problem) => this.fail(problem));
  }

  async search(query, start) {
    const { signal } = this.restart();
    this.query = query;
    this.grid.words = wordsOf(query);
    this.progress.start();
    find("find-cancel").hidden = false;
    this.drawState(UNDER_WAY.find);
    await quietly(async () => {
      for await (const line of stream("api/find", { ...query, start, limit: MOST_FOUND }, signal)) this.heard(line);
    }, (problem) => this.fail(problem));
    if (signal === this.aborter.signal) this.drawBusy(false);
  }

  heard(line) {
    if (line.progress !== undefined) this.progress.show(line.progress);
    if (line.found !== undefined) this.take(line.found);
    if (line.damage !== undefined) {
      this.damage.add([[line.damage.record, line.damage.record + line.damage.count]]);
    }
    if (line.found !== undefined) this.drawState(`${plural(this.found.count, "record")} found so far`);
    if (line.end !== undefined) this.finish(line.end);
  }

  finish({ searched, complete, skipped, damaged }) {
    const parts = [`${plural(this.found.count, "record")} found in ${count(searched)}`];
    if (damaged > 0) parts.push(`${plural(damaged, "damaged record")} could not be searched`);
    if (skipped > 0) parts.push(`${plural(skipped, "record")} too large to search`);
    if (!complete) parts.push("there may be more");
    this.end(parts.join("; "));
    find("find-more").hidden = complete;
  }

  restart() {
    this.aborter.abort();
    this.aborter = new AbortController();
    find("find-error").hidden = true;
    if (document.activeElement === find("find-more")) find("find-text").focus();
    find("find-more").hidden = true;
    return this.aborter;
  }

  findMore() {
    const last = this.found.numbers.at(-1);
    if (this.query !== undefined && last !== undefined) this.search(this.query, last + 1);
  }

  take(numbers) {
    const before = this.found.count;
    this.found.add(numbers);
    this.grid.grew(before);
    this.placed([]);
  }

  cancel() {
    this.aborter.abort();
    this.drawBusy(false);
    this.end(`Cancelled; ${plural(this.found.count, "record")} found until then`);
  }

  end(text) {
    this.drawBusy(false);
    this.drawState(text);
    say(text);
  }

  fail(problem) {
    this.drawBusy(false);
    this.drawState("");
    find("find-error").textContent = problem;
    find("find-error").hidden = false;
  }

  drawBusy(isBusy) {
    if (!isBusy) this.progress.end();
    if (!isBusy && document.activeElement === find("find-cancel")) find("find-text").focus();
    find("find-cancel").hidden = !isBusy;
  }

  drawState(text) {
    find("find-summary").textContent = text;
    find("select-found").hidden = this.found.count === 0;
    this.grid.empty.textContent = this.asked === null ? "" : "Nothing found.";
    this.grid.measure();
  }

  selectFound() {
    if (this.selection.add(this.found.numbers)) say(`${plural(this.found.count, "record")} selected`);
    else say(`At most ${count(SELECTION_LIMIT)} records can be selected.`);
  }

  placed(indexes) {
    if (!this.isShown) return;
    const total = this.found.count;
    if (total === 0) showPlace("");
    if (indexes.length === 0) return;
    const [first, last] = [indexes[0] + 1, indexes.at(-1) + 1];
    showPlace(`${count(first)} – ${count(last)} of ${count(total)} found`);
  }

  reload() { this.grid.reload(); }

  key(event) {
    if (event.key === "v") this.layout.toggle();
    else if (event.key === "Escape" && !find("find-cancel").hidden) this.cancel();
    else if (event.key === "Escape") go("#/records");
    else return this.grid.key(event);
    return true;
  }
}
