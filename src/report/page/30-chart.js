// Axes, curves and legends, as SVG.
// Colour of a chain, method, line or phase, by its number.
const seriesColour = (number) => `var(--c${number % 8})`;
const chainDash = (chain) => (chain < 8 ? null : "4 2");

function niceStep(range, count) {
  const rough = range / Math.max(1, count), power = Math.pow(10, Math.floor(Math.log10(rough)));
  const lead = rough / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}

function linearTicks(lo, hi, count) {
  if (!(hi > lo)) return [lo];
  const step = niceStep(hi - lo, count), ticks = [];
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * (hi - lo); ++k) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

function logTicks(lo, hi, count) {
  const ticks = [], decades = Math.log10(hi / lo);
  const leads = decades > count ? [1] : decades > 1.5 ? [1, 3] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(lo)); power <= Math.ceil(Math.log10(hi)); ++power)
    for (const lead of leads) {
      const tick = Number((lead * Math.pow(10, power)).toPrecision(3));
      if (tick >= lo * 0.999 && tick <= hi * 1.001) ticks.push(tick);
    }
  const every = Math.ceil(ticks.length / (count + 2));
  return ticks.length > 1 ? ticks.filter((_, k) => k % every === 0) : linearTicks(lo, hi, count);
}

/**
 * A pair of axes. x and y: {lo, hi, label, log, ticks, format}; without a label or ticks, room is not taken for them.
 * Returns {svg, area, x, y, width, height}: x() and y() place values.
 */
function axes(width, height, x, y, margins) {
  const room = Object.assign({ left: 46, right: 10, top: 8, bottom: x.label ? 38 : 22 }, margins);
  const inner = { width: Math.max(20, width - room.left - room.right), height: height - room.top - room.bottom };
  const placed = (axis, from, to) => (value) => {
    const share = axis.log ? Math.log(value / axis.lo) / Math.log(axis.hi / axis.lo) : (value - axis.lo) / (axis.hi - axis.lo);
    return from + share * (to - from);
  };
  const at = { x: placed(x, room.left, room.left + inner.width), y: placed(y, room.top + inner.height, room.top) };
  const svg = draw("svg", { viewBox: "0 0 " + width + " " + height, width, height, class: "chart" });
  const ticksOf = (axis, count) => axis.ticks || (axis.log ? logTicks(axis.lo, axis.hi, count) : linearTicks(axis.lo, axis.hi, count));
  const bottom = room.top + inner.height;
  if (y.ticks !== null)
    for (const tick of ticksOf(y, Math.max(2, inner.height / 45))) {
      const height = at.y(tick);
      svg.append(draw("line", { x1: room.left, x2: room.left + inner.width, y1: height, y2: height, class: "grid" }));
      svg.append(draw("text", { x: room.left - 5, y: height + 3.5, "text-anchor": "end" }, (y.format || digits)(tick)));
    }
  if (x.ticks !== null)
    for (const tick of ticksOf(x, Math.max(2, inner.width / 75))) {
      const place = at.x(tick);
      svg.append(draw("line", { x1: place, x2: place, y1: bottom, y2: bottom + 4, class: "axis" }));
      const last = place > width - 24;  // no room for half of the label
      svg.append(draw("text", { x: last ? width - 1 : place, y: bottom + 16, "text-anchor": last ? "end" : "middle" }, (x.format || digits)(tick)));
    }
  svg.append(draw("line", { x1: room.left, x2: room.left + inner.width, y1: bottom, y2: bottom, class: "axis" }));
  if (x.label) svg.append(draw("text", { x: room.left + inner.width / 2, y: height - 4, "text-anchor": "middle", class: "label" }, x.label));
  if (y.label)
    svg.append(draw("text", { x: 11, y: room.top + inner.height / 2, "text-anchor": "middle", class: "label",
                              transform: "rotate(-90 11 " + (room.top + inner.height / 2) + ")" }, y.label));
  return { svg, x: at.x, y: at.y, left: room.left, right: room.left + inner.width, top: room.top, bottom };
}

const place = (x) => x.toFixed(1);

/** A path through points; null or unknown points leave a gap. */
function pathOf(points) {
  let path = "", open = false;
  for (const point of points) {
    const known = point && isNumber(point[0]) && isNumber(point[1]);
    if (known) path += (open ? "L" : "M") + place(point[0]) + " " + place(point[1]);
    open = known;
  }
  return path;
}

const curve = (points, colour, more) => draw("path", Object.assign({ d: pathOf(points), fill: "none", stroke: colour, "stroke-width": 1.6 }, more));
const rule = (chart, y, classes) => draw("line", { x1: chart.left, x2: chart.right, y1: y, y2: y, class: classes });
const post = (chart, x, classes) => draw("line", { x1: x, x2: x, y1: chart.top, y2: chart.bottom, class: classes });

/** One entry for each [label, colour]. */
function legend(entries) {
  return make("p", { class: "legend" }, entries.map(([label, colour, dashed]) => make("span", {},
    draw("svg", { width: 18, height: 10, "aria-hidden": "true" },
         draw("line", { x1: 0, x2: 18, y1: 5, y2: 5, stroke: colour, "stroke-width": 3, "stroke-dasharray": dashed })), label)));
}
const chainLegend = (chains) => legend(Array.from({ length: Math.min(chains, 16) }, (_, k) => ["chain " + (k + 1), seriesColour(k), chainDash(k)]));
