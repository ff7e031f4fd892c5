// The file as a whole: facts, sizes of records, chunks, shards, and its verification.

import { get, quietly } from "./api.js";
import { ChunkMap } from "./chunk_map.js";
import { element, find, replaceChildren } from "./dom.js";
import { drawSizes } from "./histogram.js";
import { format, go } from "./routes.js";
import { scrollSheet } from "./sheet_keys.js";
import { Shards } from "./shards.js";
import { say, showPlace } from "./status.js";
import { Verification } from "./verification.js";

export class FileView {
  constructor({ about, damage }) {
    this.about = about;
    this.isRead = false;
    const onRecord = (number) => go(format("records", { at: number }));
    this.chunks = new ChunkMap(find("chunks"), { damage, onRecord });
    this.shards = new Shards(find("shards"), { about, onChunks: (file) => this.showChunks(file) });
    this.verification = new Verification(damage);
    find("chunk-file-label").hidden = about.file_count < 2;
    find("chunk-file").max = Math.max(0, about.file_count - 1);
    find("chunk-file").addEventListener("change", () => this.showChunks(Number(find("chunk-file").value)));
    find("shards-panel").hidden = about.file_count < 2;
    this.drawFailures(about.failures);
  }

  show() {
    showPlace(this.about.location.length === 1 ? this.about.location[0] : "");
    if (this.isRead) return;
    this.isRead = true;
    this.read();
  }

  takeFocus() { find("file-heading").focus({ preventScroll: true }); }

  hide() {}

  reload() { this.read(); }

  async read() {
    const inPanel = (id) => (problem) => replaceChildren(find(id), element("p", { class: "faint" }, problem));
    const facts = quietly(async () => this.drawFacts(await get("api/file")), inPanel("file-facts"));
    const sizes = quietly(async () => drawSizes(find("sizes"), await get("api/sizes")), inPanel("sizes"));
    await Promise.all([facts, sizes, this.chunks.read(0), this.shards.read(0)]);
  }

  async showChunks(file) {
    const known = Math.min(this.about.file_count - 1, Math.max(0, Math.trunc(file) || 0));
    find("chunk-file").value = known;
    await this.chunks.read(known);
    find("chunks-panel").scrollIntoView({ block: "nearest" });
    say(`Chunks of file ${known}`);
  }

  drawFacts({ facts, of_first_file: isOfFirst }) {
    find("facts-heading").textContent = isOfFirst ? "Facts of the first file" : "Facts";
    replaceChildren(find("file-facts"), ...facts.map(([name, value]) => (
      element("div", {}, element("dt", {}, name), element("dd", {}, value))
    )));
  }

  drawFailures(failures) {
    find("failures").hidden = failures.length === 0;
    replaceChildren(find("failures-list"), ...failures.map(({ path, reason }) => (
      element("li", {}, element("code", {}, path), " ", reason)
    )));
  }

  key(event) {
    if (event.key !== "Escape") return scrollSheet(event, find("file-sheet"));
    go("#/records");
    return true;
  }
}
