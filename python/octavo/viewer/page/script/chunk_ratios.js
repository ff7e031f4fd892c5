// Compression along the file: the ratio of each chunk over its place.

import { drawing, element } from "./dom.js";

const WIDTH = 1000;
const HEIGHT = 100;

// Decoded bytes for each stored one; null where the file does not tell.
export const ratioOf = ({ bytes: stored, decoded_bytes: decoded }) => (decoded && stored ? decoded / stored : null);

export function drawRatios(chunks) {
  const ratios = chunks.map((chunk) => ratioOf(chunk) ?? 1);
  const most = Math.max(1.5, ...ratios);
  const least = Math.min(...ratios);
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const step = WIDTH / ratios.length;
  const height = (ratio) => (HEIGHT * (1 - ratio / most)).toFixed(2);
  const across = (at) => (at * step).toFixed(2);
  const points = ratios.map((ratio, at) => `L${across(at)} ${height(ratio)}H${across(at + 1)}`);
  const label = `Compression per chunk: from ${least.toFixed(2)} to ${most.toFixed(2)}, ${mean.toFixed(2)} on average`;
  return element(
    "figure", { class: "ratios" },
    element("figcaption", {}, `${label} (decoded bytes to stored bytes)`),
    drawing(
      "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
      drawing("path", { class: "ratio-area", d: `M0 ${HEIGHT}${points.join("")}V${HEIGHT}Z` }),
      drawing("path", { class: "ratio-one", d: `M0 ${height(1)}H${WIDTH}` }),
    ),
  );
}
