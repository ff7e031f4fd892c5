// One record: where it lies, and what the decoder made of it.

import { get, quietly } from "./api.js";
import { drawBlocks } from "./blocks.js";
import { element, find, replaceChildren } from "./dom.js";
import { count, exactBytes, plural } from "./format.js";
import { format, go, replace } from "./routes.js";
import { scrollSheet } from "./sheet_keys.js";
import { say, showPlace } from "./status.js";

export class RecordView {
  // `list` gives the view from which the record was opened: addressOf(number), grid.source, title.
  constructor({ about, selection, damage, decoding, list }) {
    Object.assign(this, { about, selection, damage, decoding, list });
    this.number = null;
    this.aborter = new AbortController();
    this.isShown = false;
    find("record-previous").addEventListener("click", () => this.step(-1));
    find("record-next").addEventListener("click", () => this.step(1));
    find("record-select").addEventListener("change", () => this.select());
    selection.addEventListener("change", () => this.drawChoice());
    decoding.addEventListener("change", () => {
      if (this.isShown && this.number !== null) replace(format("record", { as: decoding.name }, this.number));
    });
  }

  show({ number }, { from }) {
    this.isShown = true;
    if (from !== "record") find("record-heading").focus({ preventScroll: true });
    const key = `${number} ${this.decoding.name}`;
    this.drawFrame(number);
    if (key === this.shownKey) return;
    this.shownKey = key;
    this.aborter.abort(); // a late answer is that of another record
    const total = this.about.record_count;
    if (number !== null && number < total) this.read(number);
    else this.drawProblem(`There is no such record: there ${total === 1 ? "is" : "are"} ${plural(total, "record")}.`);
  }

  takeFocus() { find("record-heading").focus({ preventScroll: true }); }

  hide() {
    this.isShown = false;
    for (const player of document.querySelectorAll("#record audio")) player.pause();
  }

  reload() {
    this.shownKey = null;
    this.show({ number: this.number }, { from: "record" });
  }

  drawFrame(number) {
    const list = this.list();
    const title = number === null ? "No such record" : `Record ${count(number)}`;
    find("record-heading").textContent = title;
    find("back").href = list.addressOf(number ?? 0);
    find("back-label").textContent = `Back to ${list.title}`;
    for (const [id, by] of [["record-previous", -1], ["record-next", 1]]) {
      const isEnd = this.neighbour(number, by) === null;
      if (isEnd && document.activeElement === find(id)) this.takeFocus(); // a disabled button would lose it
      find(id).disabled = isEnd;
    }
    this.number = number;
    this.drawChoice();
    const isThere = number !== null && number < this.about.record_count;
    showPlace(isThere ? `${title} of ${count(this.about.record_count)}` : "");
  }

  async read(number) {
    this.aborter = new AbortController();
    find("download").hidden = true;
    const { signal } = this.aborter;
    find("record-sheet").setAttribute("aria-busy", "true");
    let problem = "The record could not be read.";
    const asked = () => get(`api/record/${number}`, { as: this.decoding.name }, signal);
    const record = await quietly(asked, (reason) => { problem = reason; });
    if (signal.aborted) return;
    if (record === undefined) {
      this.shownKey = null; // the next time it is tried again
      this.drawProblem(problem);
    } else this.draw(record);
  }

  draw(record) {
    const { number, status, kind, guess, file } = record;
    find("record").dataset.number = number;
    find("record").dataset.status = status;
    find("record").dataset.kind = kind ?? "";
    if (status === "damaged") this.damage.addCards([record]);
    const isOverruled = guess !== null && guess !== kind;
    const aside = isOverruled ? ` (recognised as ${this.titleOf(guess)})` : "";
    const rows = [
      record.name === null ? null : ["Name", record.name],
      ["Size", record.bytes === null ? "unknown" : exactBytes(record.bytes)],
      kind === null ? null : ["Shown as", this.titleOf(kind) + aside],
      file === null ? null : ["File", file.path],
      file === null || this.about.file_count === 1 ? null : ["Place in file", `record ${count(file.record)}`],
    ].filter((row) => row !== null);
    replaceChildren(find("record-facts"), ...rows.flatMap(([name, value]) => [
      element("div", {}, element("dt", {}, name), element("dd", {}, value)),
    ]));
    const blocks = [...record.blocks];
    const isTold = blocks.some((block) => block.type === "note"); // the server's own words say more
    if (record.reason && !isTold) blocks.unshift({ type: "note", level: "warning", text: record.reason });
    this.drawSheet(blocks, { number });
    find("download").hidden = !record.downloadable;
    find("download").href = `api/record/${number}/download`;
    find("record-sheet").scrollTop = 0;
    say(`Record ${count(number)}, ${status === "ok" ? this.titleOf(kind) : status}`);
  }

  drawProblem(problem) {
    find("record").dataset.status = "missing";
    find("download").hidden = true;
    replaceChildren(find("record-facts"));
    this.drawSheet([{ type: "note", level: "warning", text: problem }], {});
    say(problem);
  }

  drawSheet(blocks, options) {
    const hadFocus = find("record-blocks").contains(document.activeElement);
    replaceChildren(find("record-blocks"), ...drawBlocks(blocks, options));
    if (hadFocus) this.takeFocus();
    find("record-sheet").removeAttribute("aria-busy");
  }

  titleOf(name) {
    return this.about.decoders.find((decoder) => decoder.name === name)?.title ?? name ?? "unknown";
  }

  drawChoice() {
    find("record-select").checked = this.number !== null && this.selection.has(this.number);
  }

  select() {
    if (!this.selection.toggle(this.number)) say("No more records can be selected.");
    this.drawChoice();
  }

  // The next one in the list from which this one was opened; null at its ends.
  neighbour(number, by) {
    if (number === null) return null;
    const { source } = this.list().grid;
    const index = source.indexOf(number);
    if (index < 0) return null;
    const wanted = index + by;
    return wanted < 0 || wanted >= source.count ? null : source.numberAt(wanted);
  }

  step(by) {
    const number = this.neighbour(this.number, by);
    if (number !== null) replace(format("record", { as: this.decoding.name }, number));
  }

  key(event) {
    const { key, target } = event;
    const isBusy = target.closest("audio, .scrolls") !== null;
    if (key === "Escape" || key === "u") go(this.list().addressOf(this.number ?? 0));
    else if (key === "j" || key === "l" || (key === "ArrowRight" && !isBusy)) this.step(1);
    else if (key === "k" || key === "h" || (key === "ArrowLeft" && !isBusy)) this.step(-1);
    else if (key === "G") this.toEnd();
    else if (key === "x" && this.number !== null) this.select();
    else return scrollSheet(event, find("record-sheet"));
    return true;
  }

  toEnd() {
    const { source } = this.list().grid;
    if (source.count > 0) replace(format("record", { as: this.decoding.name }, source.numberAt(source.count - 1)));
  }
}
