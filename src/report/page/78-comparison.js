// Comparison of two sets of draws: differences, distances, overlaid densities.
const differs = (k) => compared.differs[k] === 1;
const ofRuns = () => legend([[compared.labels[0], seriesColour(0)], [compared.labels[1] + " (reference)", seriesColour(1), "6 3"]]);

const comparedColumns = !compared ? [] : [
  { key: "name", title: "name", value: (k) => k },
  { key: "mean", title: "mean", value: (k) => compared.mean[k], cell: (k) => digits(compared.mean[k], 4) },
  { key: "reference_mean", title: "of reference", value: (k) => compared.reference_mean[k], cell: (k) => digits(compared.reference_mean[k], 4) },
  { key: "shift", title: "difference, sds", down: true, value: (k) => (isNumber(compared.shift[k]) ? Math.abs(compared.shift[k]) : null), cell: (k) => doubtful(withError(compared.shift[k], compared.shift_error[k], 2), beyond(compared.shift[k], compared.shift_error[k])) },
  { key: "sd", title: "sd", value: (k) => compared.sd[k], cell: (k) => digits(compared.sd[k], 3) },
  { key: "reference_sd", title: "of reference", value: (k) => compared.reference_sd[k], cell: (k) => digits(compared.reference_sd[k], 3) },
  { key: "sd_ratio", title: "sd ratio", down: true, value: (k) => (compared.sd_ratio[k] > 0 ? Math.abs(Math.log(compared.sd_ratio[k])) : null), cell: (k) => doubtful(withError(compared.sd_ratio[k], compared.sd_ratio_error[k], 3), beyond(compared.sd_ratio[k] - 1, compared.sd_ratio_error[k])) },
  { key: "ks", title: "KS distance", down: true, value: (k) => compared.ks[k], cell: (k) => digits(compared.ks[k], 2) },
];
const beyond = (difference, error) => isNumber(difference) && error > 0 && Math.abs(difference) > compared.limit * error;

function paintCompared(view, name, width) {
  const bytes = bytesOf(view.d), points = bytes.length / 2;
  const chart = axes(width, 240, { lo: view.lo, hi: view.hi, label: name }, { lo: 0, hi: 268, ticks: null }, { left: 12 });
  const line = (which) => Array.from({ length: points }, (_, j) => [chart.x(view.lo + (j / (points - 1)) * (view.hi - view.lo)), chart.y(bytes[which * points + j])]);
  const area = line(1);
  chart.svg.append(draw("path", { d: pathOf([[area[0][0], chart.bottom], ...area, [area[points - 1][0], chart.bottom]]) + "Z", fill: seriesColour(1), "fill-opacity": 0.13 }));
  chart.svg.append(curve(line(1), seriesColour(1), { "stroke-width": 2, "stroke-dasharray": "6 3" }), curve(line(0), seriesColour(0), { "stroke-width": 2.2 }));
  return chart.svg;
}

function paintQuantiles(view, width) {
  const reach = Math.max(1.4 * compared.mean_wrong, ...view.q.map((x) => 1.1 * Math.abs(x)));
  const chart = axes(width, 240, { lo: 0, hi: 100, label: "quantile, %" }, { lo: -reach, hi: reach, label: "difference, in sds" }, { left: 56 });
  chart.svg.append(draw("rect", { x: chart.left, width: chart.right - chart.left, y: chart.y(compared.mean_tolerance), height: chart.y(-compared.mean_tolerance) - chart.y(compared.mean_tolerance), class: "band" }));
  chart.svg.append(rule(chart, chart.y(0), "axis"), curve(view.q.map((x, j) => [chart.x(5 * (j + 1)), chart.y(x)]), seriesColour(0), { "stroke-width": 2 }));
  return chart.svg;
}

function comparedPictures(k) {
  const name = compared.names[k], view = compared.views[k];
  const words = "The mean is " + digits(compared.mean[k], 4) + ", that of the reference " + digits(compared.reference_mean[k], 4) + ": a difference of " + withError(compared.shift[k], compared.shift_error[k], 2) +
    " sds. The sd is " + digits(compared.sd[k], 3) + ", that of the reference " + digits(compared.reference_sd[k], 3) + ": a ratio of " + withError(compared.sd_ratio[k], compared.sd_ratio_error[k], 3) + ".";
  const judged = make("p", { class: differs(k) ? "doubt" : "fine" }, differs(k) ? "Differs by more than Monte Carlo error." : "No difference beyond Monte Carlo error.");
  if (!view) return [judged, make("p", {}, words), make("p", {}, "There are no pictures of this variable: it is constant, or others differ more.")];
  const pictures = make("div", { class: "pictures" });
  pictures.append(figure("Densities", "Solid: " + compared.labels[0] + "; broken line: " + compared.labels[1] + ", the reference.", (width) => paintCompared(view, name, width)));
  if (view.q) pictures.append(figure("Differences of quantiles", "By how much each quantile is larger than that of the reference, in sds of the reference: a level line means a shift, a slope a different sd. At the median " + digits(view.q[9], 2) +
    ", at 5\u00a0% " + digits(view.q[0], 2) + ", at 95\u00a0% " + digits(view.q[18], 2) + ".", (width) => paintQuantiles(view, width)));
  return [judged, make("p", {}, words), ofRuns(), pictures];
}

/** Bars of distances, relative to their Monte Carlo error. */
function paintDistances(rows, width) {
  const shares = rows.map(([, value, noise]) => (noise > 0 ? value / noise : null)), most = Math.max(2, ...shares.filter(isNumber)) * 1.05;
  const row = 22, names = Math.min(130, width * 0.36), height = row * rows.length + 44;
  const chart = axes(width, height, { lo: 0, hi: most, label: "distance / noise" }, { lo: 0, hi: 1, ticks: null }, { left: names, top: 4 });
  rows.forEach(([name], k) => {
    const y = 4 + row * (k + 0.5);
    chart.svg.append(draw("text", { x: names - 8, y: y + 4, "text-anchor": "end" }, name));
    if (isNumber(shares[k])) chart.svg.append(draw("rect", { x: chart.left, width: Math.max(1, chart.x(shares[k]) - chart.left), y: y - 6, height: 12, class: shares[k] > 1 ? "bars" : "bars quiet" }));
  });
  chart.svg.append(post(chart, chart.x(1), "middle"));
  return chart.svg;
}

function addComparison() {
  const b = { names: compared.names, sd_ratio: compared.sd_ratio, sd_error: compared.sd_ratio_error.map((error, k) => (isNumber(error) && compared.sd_ratio[k] > 0 ? error / compared.sd_ratio[k] : null)),
              shift: compared.shift, shift_error: compared.shift_error, sd_tolerance: compared.sd_tolerance, sd_wrong: compared.sd_wrong, mean_tolerance: compared.mean_tolerance, mean_wrong: compared.mean_wrong };
  sections.push(["verdict", "Overview"]);
  const found = compared.worst.filter(differs), overview = document.getElementById("verdict");
  if (found.length > 0)
    overview.append(make("p", { class: "suspects" }, make("strong", {}, "Different (" + grouped(found.length) + " of " + grouped(compared.names.length) + "): "), found.slice(0, 12).map((k) => parameterLink(compared.names[k], "chip caution")),
                         found.length > 12 ? " and " + grouped(found.length - 12) + " more" : null));
  const most = 30, shown = compared.worst.slice(0, most);
  addSection("differences", "Differences", figure(compared.names.length > most ? "The " + most + " variables that differ most" : "Variable by variable",
    "Sds and means of " + compared.labels[0] + " against those of " + compared.labels[1] + ", with bars of two Monte Carlo errors; orange where the difference is beyond Monte Carlo error (" + grouped(found.length) +
    " of " + grouped(compared.names.length) + "). The dark band is what the verdict on a run tolerates, the light band the limit beyond which it calls draws wrong.",
    (width) => paintForest(shown, width, b, (k) => (differs(k) ? "wrong" : "trust"))));
  const above = compared.distances.filter(([, value, noise]) => value > noise).map(([name]) => name);
  addSection("distances", "Distances", figure("", "Distances between the joint distributions, divided by the distance between the halves of one set (dashed: 1). " +
      (above.length > 0 ? "Above that: " + above.join(", ") + "." : "None is above that: the sets cannot be told apart.") +
      (compared.thinned ? " Energy distance, MMD, sliced W2 and KL divergence are those of " + grouped(compared.thinned[0]) + " of " + grouped(compared.thinned[1]) + " and " + grouped(compared.thinned[2]) + " of " + grouped(compared.thinned[3]) + " draws." : ""), (width) => paintDistances(compared.distances, width)),
    table(["distance", "value", "noise", "of what"], compared.distances.map(([name, value, noise, words]) => [name, doubtful(digits(value, 3), value > noise), digits(noise, 3), words]), "numbers words-last"));
  addListing(comparedColumns, compared.names, differs, "different only", "Differences of means are in sds of the reference, with Monte Carlo errors; red where they are beyond " + digits(compared.limit, 2) + " of them. KS is the largest difference between the distribution functions.");
  addParameter("One variable", " in order of difference; keys k and j");
  const left = compared.only.map((names, k) => (names.length > 0 ? make("p", {}, "Only in ", make("code", {}, compared.labels[k]), ": " + listed(names, 10) + ".") : null));
  addSection("run", "The two runs", table(["", compared.labels[0], compared.labels[1]], compared.runs.map(([label, a, c]) => [label, a || dash, c || dash]), "both"), left);
}
