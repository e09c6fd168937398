// Pairs of parameters with divergences, and the energy of exact samplers.
function paintPairs(pairs, width) {
  const n = pairs.columns.length, side = Math.min(190, Math.floor((width - 6) / n)), svg = draw("svg", { viewBox: "0 0 " + n * side + " " + n * side, width: n * side, height: n * side, class: "chart" });
  const points = pairs.points.map(bytesOf), diverged = pairs.diverged.map(bytesOf), pad = 5;
  const at = (byte) => pad + (byte / 255) * (side - 2 * pad);
  for (let row = 0; row < n; ++row)
    for (let column = 0; column < n; ++column) {
      const left = column * side, top = row * side;
      svg.append(draw("rect", { x: left + 1, y: top + 1, width: side - 2, height: side - 2, class: "panel" }));
      if (row === column) {
        const name = parameters.names[pairs.columns[row]], most = Math.max(4, Math.floor(side / 7.5));
        svg.append(draw("text", { x: left + side / 2, y: top + side / 2, "text-anchor": "middle", class: "name" }, draw("title", {}, name), name.length > most ? name.slice(0, most - 1) + "\u2026" : name));
        svg.append(draw("text", { x: left + side / 2, y: top + side / 2 + 18, "text-anchor": "middle", class: "small" }, digits(pairs.lo[row], 3) + " to " + digits(pairs.hi[row], 3)));
        continue;
      }
      let path = "";
      for (let k = 0; k < points[row].length; ++k) path += "M" + place(left + at(points[column][k])) + " " + place(top + side - at(points[row][k])) + "h0";
      svg.append(draw("path", { d: path, class: "points" }));
      for (let k = 0; k < diverged[row].length; ++k) {
        const x = left + at(diverged[column][k]), y = top + side - at(diverged[row][k]);
        svg.append(draw("path", { d: "M" + place(x - 3) + " " + place(y - 3) + "l6 6m0 -6l-6 6", class: "divergence" }));
      }
    }
  return svg;
}

function addPairs() {
  const pairs = data.pairs;
  if (!pairs || !parameters) return;
  const names = pairs.columns.map((k) => parameters.names[k]);
  const words = pairs.divergences > 0
    ? counted(pairs.divergences, "draw") + " ended in a divergence (crosses)" + (pairs.by_divergences ? ": where these gather, the sampler could not follow the posterior, and parts of it may be missing. Shown are the parameters that differ most there: " : ". Shown are the parameters in most doubt: ") + names.join(", ") + "."
    : "Draws of the parameters in most doubt, two at a time: " + names.join(", ") + ". Narrow ridges and funnels are what makes sampling slow.";
  addSection("pairs", "Pairs", figure("", words, (width) => paintPairs(pairs, width)));
}

function addEnergy() {
  const energy = data.energy;
  if (!energy) return;
  const paint = (width) => {
    const top = Math.max(...energy.level, ...energy.change) * 1.05, height = 220, points = energy.level.length;
    const chart = axes(width, height, { lo: energy.lo, hi: energy.hi, label: "energy, less its mean" }, { lo: 0, hi: top, ticks: null }, { left: 12 });
    const line = (heights) => heights.map((tall, k) => [chart.x(energy.lo + (k / (points - 1)) * (energy.hi - energy.lo)), chart.y(tall)]);
    chart.svg.append(curve(line(energy.level), seriesColour(0), { "stroke-width": 2 }), curve(line(energy.change), seriesColour(1), { "stroke-width": 2, "stroke-dasharray": "6 3" }));
    return chart.svg;
  };
  const least = Math.min(...energy.fractions.filter(isNumber));
  addSection("energy", "Energy", make("div", { class: "pictures" }, figure("", "Solid: energies of the draws. Broken line: changes from draw to draw. If the changes are much narrower, the sampler moves between energies slowly. "
    + "The energy fraction of missing information, " + energy.fractions.map((x) => digits(x, 2)).join(", ") + " by chain, " + (least < 0.3 ? "is below 0.3: a reparameterisation would help." : "is above 0.3, as it should be."), paint)));
}
