// Verifying all files from the page: live progress, cancel, and links to what is damaged.

import { quietly, stream } from "./api.js";
import { element, find, replaceChildren } from "./dom.js";
import { count, plural } from "./format.js";
import { Progress } from "./progress.js";
import { format } from "./routes.js";
import { say } from "./status.js";

const MOST_LISTED = 500;

export class Verification {
  constructor(damage) {
    this.damage = damage;
    this.aborter = null;
    this.progress = new Progress(find("verify-progress"), "Progress of the verification", "records");
    find("verify").addEventListener("click", () => this.run());
    find("verify-cancel").addEventListener("click", () => this.cancel());
  }

  async run() {
    this.aborter = new AbortController();
    this.drawBusy(true);
    this.progress.start();
    this.tell("", "");
    replaceChildren(find("verify-damage"));
    find("verify-damage").hidden = true;
    say("Verifying");
    await quietly(async () => {
      for await (const line of stream("api/verify", {}, this.aborter.signal)) {
        if (line.progress !== undefined) this.progress.show(line.progress);
        if (line.end !== undefined) this.finish(line.end);
      }
    }, (problem) => this.tell(problem, "bad"));
    this.drawBusy(false);
  }

  cancel() {
    this.aborter?.abort();
    this.tell("Cancelled.", "");
    say("Verification cancelled");
    this.drawBusy(false);
  }

  finish({ record_count: records, file_count: files, damage, damaged_count: damagedCount, more }) {
    const what = `${plural(records, "record")} in ${plural(files, "file")}`;
    const isSound = damage.length === 0;
    const places = plural(damage.length + (more ?? 0), "damaged place");
    const damaged = plural(damagedCount, "damaged record");
    const verdict = isSound ? `All sound: ${what}.` : `${places}, ${damaged} of ${what}.`;
    this.tell(verdict, isSound ? "good" : "bad");
    say(verdict);
    const placed = damage.filter((place) => place.record !== null && place.record_count > 0);
    this.damage.add(placed.map((place) => [place.record, place.record + place.record_count]));
    const listed = damage.slice(0, MOST_LISTED).map(drawPlace);
    const rest = damage.length + (more ?? 0) - listed.length;
    if (rest > 0) listed.push(element("li", { class: "faint" }, `and ${plural(rest, "more place")}`));
    replaceChildren(find("verify-damage"), ...listed);
    find("verify-damage").hidden = isSound;
  }

  tell(text, verdict) {
    const result = find("verify-result");
    result.textContent = text;
    result.className = verdict;
    result.hidden = text === "";
  }

  drawBusy(isBusy) {
    const isFocused = document.activeElement === find("verify-cancel");
    find("verify").disabled = isBusy;
    find("verify-cancel").hidden = !isBusy;
    if (isBusy) {
      find("verify-cancel").focus();
      return;
    }
    this.progress.end();
    if (isFocused) find("verify").focus();
  }
}

function drawPlace({ path, record, record_count: records, offset, reason }) {
  const name = path.split("/").at(-1);
  const at = offset === null ? "" : ` at ${count(offset)}`;
  const where = record === null
    ? [element("strong", {}, name), at]
    : [element("a", { href: format("records", { at: record }) }, title(record, records)), ` ${name}${at}`];
  const why = reason.startsWith(`${path}: `) ? reason.slice(path.length + 2) : reason;
  return element("li", {}, element("span", { class: "faint" }, ...where), element("span", { class: "reason" }, why));
}

const title = (record, records) => (records > 1
  ? `Records ${count(record)} – ${count(record + records - 1)}`
  : `Record ${count(record)}`);
