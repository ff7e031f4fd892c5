// The selection as a new file. The server never overwrites: a name that is taken is said so, and another can be given.

import { quietly, stream } from "./api.js";
import { element, find, replaceChildren } from "./dom.js";
import { count, plural } from "./format.js";
import { Progress } from "./progress.js";
import { say } from "./status.js";

const MOST_TOLD = 20;
const TAKEN = 409;

export class ExportDialog {
  constructor({ about, selection }) {
    Object.assign(this, { about, selection });
    this.dialog = find("export");
    this.aborter = null;
    this.progress = new Progress(find("export-progress"), "Progress of the export", "records");
    const { formats, default_format: usual, folder } = about.export;
    replaceChildren(find("export-format"), ...formats.map((name) => element("option", { value: name }, name)));
    find("export-format").value = usual;
    find("export-folder").textContent = `In ${folder}. A file that exists is never overwritten.`;
    find("export-format").addEventListener("change", () => this.drawSuffix());
    this.drawSuffix();
    find("export-button").addEventListener("click", () => this.open());
    find("export-close").addEventListener("click", () => this.dialog.close());
    find("export-cancel").addEventListener("click", () => this.cancel());
    find("export-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    this.dialog.addEventListener("close", () => this.aborter?.abort());
    find("selection-clear").addEventListener("click", () => selection.clear());
    selection.addEventListener("change", () => this.drawSelection());
  }

  drawSelection() {
    const isEmpty = this.selection.count === 0;
    if (isEmpty && find("selection-bar").contains(document.activeElement)) {
      const card = document.querySelector('.view:not([hidden]) .card[tabindex="0"]');
      (card ?? find("main")).focus({ preventScroll: true });
    }
    find("selection-bar").hidden = isEmpty;
    find("selection-count").textContent = `${count(this.selection.count)} selected`;
  }

  // The server adds it to a name that has none.
  drawSuffix() {
    const suffix = this.about.export.suffixes?.[find("export-format").value] ?? "";
    find("export-name").placeholder = `selection${suffix}`;
  }

  open() {
    const records = plural(this.selection.count, "selected record");
    find("export-about").textContent = `${records}, in the order of their numbers.`;
    this.tell("", "");
    this.drawBusy(false);
    this.dialog.showModal();
    find("export-name").focus();
  }

  async run() {
    const name = find("export-name").value.trim();
    if (name === "") {
      this.tell("Give the new file a name.", "");
      find("export-name").focus();
      return;
    }
    this.aborter = new AbortController();
    const { signal } = this.aborter;
    this.tell("", "");
    this.drawBusy(true);
    this.progress.start();
    const wanted = { name, format: find("export-format").value, ranges: this.selection.ranges };
    await quietly(async () => {
      for await (const line of stream("api/export", wanted, signal)) {
        if (line.progress !== undefined) this.progress.show(line.progress);
        if (line.end !== undefined) this.finish(line.end);
      }
    }, (problem, status) => {
      this.tell(status === TAKEN ? "There is a file of this name already; choose another one." : problem, "");
      find("export-name").focus();
      find("export-name").select();
    });
    this.drawBusy(false);
  }

  finish({ path, records, left_out: leftOut }) {
    const told = leftOut.slice(0, MOST_TOLD).map(count).join(", ");
    const rest = leftOut.length > MOST_TOLD ? ", …" : "";
    const without = leftOut.length > 0 ? ` Left out as damaged or too large: ${told}${rest}.` : "";
    this.tell("", `${plural(records, "record")} written to ${path}.${without}`);
    say("Exported");
  }

  cancel() {
    this.aborter?.abort();
    this.tell("Cancelled; nothing was written.", "");
    this.drawBusy(false);
    find("export-name").focus();
  }

  tell(problem, success) {
    find("export-error").textContent = problem;
    find("export-success").textContent = success;
    find("export-name").toggleAttribute("aria-invalid", false);
    if (problem !== "") find("export-name").setAttribute("aria-invalid", "true");
  }

  drawBusy(isBusy) {
    find("export-start").disabled = isBusy;
    find("export-cancel").hidden = !isBusy;
    if (!isBusy) this.progress.end();
  }
}
