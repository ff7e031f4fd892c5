// Sizes of records as bars, and the same as a table for those who read it.

import { element, replaceChildren } from "./dom.js";
import { bytes, count, plural, share } from "./format.js";

export function drawSizes(place, { measured, total, mean, smallest, largest, bins, problem }) {
  if (measured === 0) {
    replaceChildren(place, element("p", { class: "faint" }, problem ?? "There are no records to measure."));
    return;
  }
  const most = Math.max(1, ...bins.map((bin) => bin.count));
  const bars = bins.map((bin) => drawBar(bin, bin.count / most, measured));
  const facts = `From ${bytes(smallest)} to ${bytes(largest)}, ${bytes(Math.round(mean))} on average.`;
  const basis = measured < total ? ` Measured on a sample of ${plural(measured, "record")}.` : "";
  replaceChildren(
    place,
    element("div", { class: "histogram", role: "img", "aria-label": `Histogram of record sizes. ${facts}` }, ...bars),
    bins.length === 0 ? null : element(
      "div", { class: "histogram-axis", "aria-hidden": "true" },
      element("span", {}, bytes(bins[0].start)), element("span", {}, bytes(bins.at(-1).stop)),
    ),
    element("p", { class: "faint" }, facts + basis),
    problem ? element("p", { class: "faint" }, problem) : null,
    element("details", {}, element("summary", {}, "As a table"), drawTable(bins, measured)),
  );
}

const rangeOf = ({ start, stop }) => `${bytes(start)} – ${bytes(stop)}`;

function drawBar(bin, height, measured) {
  const bar = element("span", { class: "histogram-bar" });
  bar.style.height = `${bin.count === 0 ? 0 : Math.max(1.5, 100 * height)}%`;
  const title = `${rangeOf(bin)}: ${plural(bin.count, "record")}, ${share(bin.count, measured)}`;
  return element("span", { class: "histogram-bin", title }, bar);
}

function drawTable(bins, measured) {
  const head = ["Size", "Records", "Share"].map((name) => element("th", { scope: "col" }, name));
  const rows = bins.map((bin) => element(
    "tr", {},
    element("td", {}, rangeOf(bin)),
    element("td", { class: "number" }, count(bin.count)),
    element("td", { class: "number" }, share(bin.count, measured)),
  ));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  const looks = { class: "scrolls", role: "group", tabindex: "0", "aria-label": "Record sizes as a table" };
  return element("div", looks, table);
}
