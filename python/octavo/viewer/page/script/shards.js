// The files of a data set side by side, a page of them at a time.

import { get, quietly } from "./api.js";
import { element, replaceChildren } from "./dom.js";
import { bytes, count, plural } from "./format.js";
import { format } from "./routes.js";
import { say } from "./status.js";

const PAGE = 50;

export class Shards {
  constructor(place, { about, onChunks }) {
    Object.assign(this, { place, about, onChunks });
    this.start = 0;
  }

  async read(start) {
    if (this.about.file_count < 2) return;
    await quietly(async () => {
      const { total, shards } = await get("api/shards", { start, count: PAGE });
      this.start = start;
      this.draw(total, shards);
    }, (problem) => replaceChildren(this.place, element("p", { class: "faint" }, problem)));
  }

  draw(total, shards) {
    const most = {
      records: Math.max(1, ...shards.map((shard) => shard.records)),
      bytes: Math.max(1, ...shards.map((shard) => shard.bytes)),
    };
    const names = ["File", "Path", "Records", "Bytes", "First record", "Chunks"];
    const head = names.map((name) => element("th", { scope: "col" }, name));
    const table = element(
      "table", { class: "shards" },
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...shards.map((shard) => this.drawShard(shard, most))),
    );
    const label = "Files side by side";
    replaceChildren(
      this.place,
      element("div", { class: "scrolls", role: "group", tabindex: "0", "aria-label": label }, table),
      total > PAGE ? this.drawPager(total) : null,
    );
  }

  drawShard(shard, most) {
    const link = element("a", { href: format("records", { at: shard.first_record }) }, count(shard.first_record));
    const name = shard.path.split("/").at(-1);
    const label = `Show chunks of file ${shard.number}`;
    const chunks = element("button", { type: "button", class: "quiet", "aria-label": label }, "Show");
    chunks.addEventListener("click", () => this.onChunks(shard.number));
    return element(
      "tr", {},
      element("td", { class: "number" }, count(shard.number)),
      element("td", { class: "path", title: `${shard.path} (${shard.format})` }, name),
      measured(count(shard.records), shard.records / most.records),
      measured(bytes(shard.bytes), shard.bytes / most.bytes),
      element("td", { class: "number" }, shard.records > 0 ? link : "none"),
      element("td", {}, chunks),
    );
  }

  drawPager(total) {
    const last = Math.min(total, this.start + PAGE);
    const previous = element("button", { type: "button" }, "Previous files");
    const next = element("button", { type: "button" }, "Next files");
    previous.disabled = this.start === 0;
    next.disabled = last >= total;
    previous.addEventListener("click", () => this.turn(this.start - PAGE));
    next.addEventListener("click", () => this.turn(this.start + PAGE));
    const text = `${count(this.start)} – ${count(last - 1)} of ${plural(total, "file")}`;
    return element("div", { class: "group pager" }, previous, element("span", { class: "faint" }, text), next);
  }

  async turn(start) {
    await this.read(Math.max(0, start));
    say(`Files from ${count(this.start)}`);
  }
}

function measured(text, part) {
  const bar = element("span", { class: "measure", "aria-hidden": "true" });
  bar.style.width = `${Math.max(1, 100 * part)}%`;
  return element("td", { class: "measured" }, element("span", {}, text), bar);
}
