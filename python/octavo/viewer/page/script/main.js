// Starts the page: asks what was opened, makes the views, and shows the one that the address names.

import { get, quietly, whenGone } from "./api.js";
import { Damage } from "./damage.js";
import { Decoding } from "./decoding.js";
import { find } from "./dom.js";
import { ExportDialog } from "./export_dialog.js";
import { FileView } from "./file_view.js";
import { FindView } from "./find_view.js";
import { bytes, plural } from "./format.js";
import { startHelp } from "./help_dialog.js";
import { startKeys } from "./keys.js";
import { RecordView } from "./record_view.js";
import { RecordsView } from "./records_view.js";
import { go, parse, whenShown } from "./routes.js";
import { Selection } from "./selection.js";
import { say, showGone } from "./status.js";
import { startTheme } from "./theme.js";

const SECTIONS = { records: "records", record: "record", file: "file", find: "find", sample: "find" };

async function start() {
  startTheme();
  startHelp();
  whenGone(() => showGone(true));
  find("retry").addEventListener("click", retry);
  find("skip").addEventListener("click", (event) => {
    event.preventDefault(); // its address is not one of ours
    find("main").focus();
  });
  await open();
}

let page = null;

async function open() {
  const about = await quietly(() => get("api/about"), (problem) => say(problem));
  if (about === undefined) return;
  page = new Page(about);
}

async function retry() {
  const about = await quietly(() => get("api/about"), (problem) => say(problem));
  if (about === undefined) {
    say("The viewer still does not answer");
    return;
  }
  showGone(false);
  say("The viewer answers again");
  if (page === null) page = new Page(about);
  else page.current.reload();
}

class Page {
  constructor(about) {
    const selection = new Selection();
    const damage = new Damage();
    const decoding = new Decoding(about.decoders);
    const parts = { about, selection, damage, decoding };
    this.decoding = decoding;
    const records = new RecordsView(parts);
    const found = new FindView(parts);
    this.origin = records;
    const record = new RecordView({ ...parts, list: () => this.origin });
    this.views = { records, record, file: new FileView(parts), find: found };
    this.current = null;
    this.shown = null;
    new ExportDialog(parts);
    this.drawTitle(about);
    startKeys({ view: () => this.current, selection, goToRecord: () => this.goToRecord() });
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  drawTitle({ title, record_count: records, file_count: files, total_bytes: size, formats, failures, location }) {
    document.title = `${title} · octavo view`;
    find("title").textContent = title;
    find("title").title = location.join("\n");
    const shards = files > 1 ? plural(files, "file") : null;
    const parts = [plural(records, "record"), shards, bytes(size), formats.join(", ")];
    if (failures.length > 0) parts.push(`${plural(failures.length, "file")} could not be opened`);
    find("subtitle").textContent = parts.filter(Boolean).join(" · ");
  }

  follow() {
    const route = parse(location.hash);
    const section = SECTIONS[route.view];
    const from = this.shown;
    const saysHow = section === "record" || (section === "records" && Object.keys(route.options).length > 0);
    if (saysHow) this.decoding.choose(route.options.as ?? "");
    if (section === "record" && (from === "records" || from === "find")) this.origin = this.views[from];
    const isListed = section !== "record" || this.origin.grid.source.indexOf(route.number) >= 0;
    if (!isListed) this.origin = this.views.records;
    const hadFocus = from !== null && from !== section && find(from).contains(document.activeElement);
    if (from !== section) this.switchTo(section);
    this.current.show(route, { from });
    if (hadFocus && !find(section).contains(document.activeElement)) this.current.takeFocus();
  }

  switchTo(section) {
    this.current?.hide();
    for (const name of Object.keys(this.views)) {
      find(name).hidden = name !== section;
      if (name !== "record") find(`nav-${name}`).removeAttribute("aria-current");
    }
    const tab = section === "record" ? null : find(`nav-${section}`);
    tab?.setAttribute("aria-current", "page");
    this.current = this.views[section];
    this.shown = section;
  }

  goToRecord() {
    whenShown("records", () => find("goto").focus());
    if (this.shown !== "records") go(this.views.records.addressOf(this.views.records.current()));
  }
}

start();
