// One parameter: trace, density, ranks, autocorrelation and growth of the effective sample size.
let shownParameter = -1, parameterBox = null, parameterInput = null;

/** The trace of each chain: the range and the mean of the draws in each bin. */
function paintTrace(view, width) {
  const chains = parameters.chains, bytes = bytesOf(view.t), bins = bytes.length / 3 / chains, height = 220;
  const last = Math.max(...parameters.draws);
  const chart = axes(width, height, { lo: 0, hi: last, label: "draw", format: grouped }, { lo: view.lo, hi: view.hi });
  const value = (byte) => chart.y(view.lo + (byte / 255) * (view.hi - view.lo));
  const single = view.w === 1;
  for (let chain = 0; chain < chains; ++chain) {
    const upper = [], lower = [], middle = [];
    for (let bin = 0; bin < bins; ++bin) {
      const at = 3 * (chain * bins + bin);
      if (bytes[at] > bytes[at + 2]) continue;
      const x = chart.x(Math.min(last, (bin + 0.5) * view.w));
      upper.push([x, value(bytes[at + 2])]);
      lower.push([x, value(bytes[at])]);
      middle.push([x, value(bytes[at + 1])]);
    }
    if (upper.length === 0) continue;
    if (!single) chart.svg.append(draw("path", { d: pathOf(upper.concat(lower.reverse())) + "Z", fill: seriesColour(chain), "fill-opacity": 0.16 }));
    chart.svg.append(curve(middle, seriesColour(chain), { "stroke-width": single ? 0.8 : 1.4, "stroke-dasharray": chainDash(chain), "stroke-opacity": 0.9 }));
  }
  return chart.svg;
}

function paintDensity(view, k, width) {
  const bytes = bytesOf(view.d), height = 220;
  const points = view.n, curves = Math.round(bytes.length / points);
  const half = view.whole ? 0.5 : 0;
  const chart = axes(width, height, { lo: view.dl - half, hi: view.dh + half, label: parameters.names[k] }, { lo: 0, hi: 270, ticks: null }, { left: 12 });
  const at = (j) => chart.x(view.dl + (j / Math.max(1, points - 1)) * (view.dh - view.dl));
  const s = parameters.summary;
  if (s.q5[k] < s.q95[k]) chart.svg.append(draw("rect", { x: chart.x(Math.max(view.dl, s.q5[k])), width: Math.max(1, chart.x(Math.min(view.dh, s.q95[k])) - chart.x(Math.max(view.dl, s.q5[k]))),
                                                          y: chart.top, height: chart.bottom - chart.top, class: "band-wide" }));
  if (view.whole) {
    const room = Math.max(1, (at(1) - at(0)) * 0.7 || 10);
    for (let j = 0; j < points; ++j)
      chart.svg.append(draw("rect", { x: at(j) - room / 2, width: room, y: chart.y(bytes[j]), height: chart.bottom - chart.y(bytes[j]), class: "bars" }));
    return chart.svg;
  }
  if (view.p) {
    const prior = bytesOf(view.p);
    chart.svg.append(curve(Array.from(prior, (height, j) => [at(j), chart.y(height)]), seriesColour(1), { "stroke-width": 2, "stroke-dasharray": "2 3", class: "prior" }));
  }
  for (let c = curves - 1; c >= 0; --c) {
    const line = Array.from({ length: points }, (_, j) => [at(j), chart.y(bytes[c * points + j])]);
    if (c === 0) chart.svg.append(curve(line, `var(--ink)`, { "stroke-width": 2.2 }));
    else chart.svg.append(curve(line, seriesColour(c - 1), { "stroke-width": 1.2, "stroke-dasharray": chainDash(c - 1) }));
  }
  chart.svg.append(post(chart, chart.x(Math.min(view.dh, Math.max(view.dl, s.q50[k]))), "middle"));
  return chart.svg;
}

/** Histograms of the ranks of each chain's draws among all draws, one below the other. */
function paintRanks(view, width) {
  const bytes = bytesOf(view.r), chains = parameters.chains, bins = bytes.length / chains;
  const row = Math.max(26, Math.min(48, 190 / chains)), height = row * chains + 40;
  const chart = axes(width, height, { lo: 0, hi: 1, label: "rank among all draws", ticks: [0, 0.25, 0.5, 0.75, 1], format: percentPlain }, { lo: 0, hi: chains, ticks: null }, { left: 62, top: 2 });
  for (let chain = 0; chain < chains; ++chain) {
    const base = 2 + row * (chain + 1), most = 128;
    chart.svg.append(draw("text", { x: 56, y: base - row / 2 + 4, "text-anchor": "end" }, "chain " + (chain + 1)));
    if (!hasDraws(chain)) {
      chart.svg.append(draw("text", { x: chart.x(0) + 4, y: base - row / 2 + 4 }, "no draws yet"));
      continue;
    }
    for (let bin = 0; bin < bins; ++bin) {
      const tall = (Math.min(most, bytes[chain * bins + bin]) / most) * (row - 5);
      chart.svg.append(draw("rect", { x: place(chart.x(bin / bins) + 0.5), width: place(Math.max(1, chart.x(1 / bins) - chart.x(0) - 1)), y: place(base - tall), height: place(tall), fill: seriesColour(chain), "fill-opacity": 0.75 }));
    }
    chart.svg.append(rule(chart, base - (64 / most) * (row - 5), "middle"));
  }
  return chart.svg;
}
const hasDraws = (chain) => parameters.draws[chain] > 0;
const percentPlain = (x) => Math.round(100 * x) + "\u00a0%";

function rankWords(view) {
  const bytes = bytesOf(view.r), chains = parameters.chains, bins = bytes.length / chains;
  let most = 0, at = [0, 0];
  for (let k = 0; k < bytes.length; ++k)
    if (hasDraws(Math.floor(k / bins)) && Math.abs(bytes[k] / 64 - 1) > most) { most = Math.abs(bytes[k] / 64 - 1); at = [Math.floor(k / bins), k % bins]; }
  return "Flat histograms near the dashed line show chains that agree. The bin furthest from it holds " + digits(bytes[at[0] * bins + at[1]] / 64, 2) +
    " times the expected count (chain " + (at[0] + 1) + ", ranks " + percentPlain(at[1] / bins) + " to " + percentPlain((at[1] + 1) / bins) + ").";
}

function paintAutocorrelation(view, width) {
  const bytes = bytesOf(view.a), chains = parameters.chains, lags = bytes.length / chains, height = 200;
  const value = (k) => (2 * bytes[k]) / 255 - 1;
  let least = -0.15;
  for (let k = 0; k < bytes.length; ++k) least = Math.min(least, value(k));
  const chart = axes(width, height, { lo: 0, hi: Math.max(1, (lags - 1) * view.l), label: "lag, in draws", format: grouped }, { lo: least, hi: 1 });
  chart.svg.append(rule(chart, chart.y(0), "axis"));
  for (let chain = 0; chain < chains; ++chain)
    if (hasDraws(chain)) chart.svg.append(curve(Array.from({ length: lags }, (_, k) => [chart.x(k * view.l), chart.y(value(chain * lags + k))]), seriesColour(chain), { "stroke-dasharray": chainDash(chain) }));
  return chart.svg;
}

function paintSizes(view, width) {
  const total = parameters.draws.reduce((a, b) => a + b, 0), height = 200;
  const top = Math.max(450, ...view.eb.filter(isNumber), ...view.et.filter(isNumber)) * 1.05;
  const chart = axes(width, height, { lo: 0, hi: total, label: "draws of all chains", format: grouped }, { lo: 0, hi: top, format: grouped }, { left: 54 });
  chart.svg.append(rule(chart, chart.y(400), "middle"));
  const line = (sizes) => [[chart.x(0), chart.y(0)], ...sizes.map((size, k) => (isNumber(size) ? [chart.x(parameters.shares[k] * total), chart.y(size)] : null))];
  chart.svg.append(curve(line(view.eb), seriesColour(0), { "stroke-width": 2 }), curve(line(view.et), seriesColour(1), { "stroke-width": 2, "stroke-dasharray": "6 3" }));
  return chart.svg;
}

function parameterWords(k) {
  const s = parameters.summary, found = doubts(k), d = decimalsOf(k);
  const size = "The mean is " + fixed(s.mean[k], d) + " \u00b1 " + fixed(s.mcse[k], d + 1) + " (Monte Carlo error), the sd " + fixed(s.sd[k], d) +
    "; 90\u00a0% of the draws lie between " + fixed(s.q5[k], d) + " and " + fixed(s.q95[k], d) + ".";
  const at = biasIndex.get(parameters.names[k]);
  const advice = at === undefined ? "" : bias.advice[at];
  return [make("p", { class: found.length > 0 ? "doubt" : "fine" }, found.length > 0 ? "In doubt: " + found.join("; ") + "." : "No problems found with these draws.", advice ? [" ", sentence(advice[0].toUpperCase() + advice.slice(1))] : null), make("p", {}, size)];
}

/** Describes the prior. */
function priorWords(view, k) {
  const variable = parameters.names[k].split("[")[0];
  if ((parameters.improper || []).includes(variable)) return " It has a flat prior, or depends on a parameter that has one.";
  if (!view.p) return "";
  const s = parameters.summary, [low, high] = view.pq, wide = (high - low) / (s.q95[k] - s.q5[k]);
  const compared = wide > 20 ? ", much wider than the posterior: the data decide" : wide > 3 ? ", wider than the posterior" : wide > 1.2 ? ", a little wider than the posterior" : ", no wider than the posterior: the data say little about it, or contradict the prior";
  return " Dotted: the prior, 90\u00a0% of which lies between " + digits(low, 2) + " and " + digits(high, 2) + compared + ".";
}

function parameterPictures(k) {
  const view = parameters.views[k] || null, name = parameters.names[k], chains = parameters.chains, s = parameters.summary;
  if (!view && k >= parameters.with_draws) return [make("p", {}, "The run summarised this variable and kept no draws of it.")];
  if (!view && s.sd[k] === 0) return [make("p", {}, "All draws are equal.")];
  if (!view) return [make("p", {}, "There are too many parameters, or too few draws, for pictures of this one.")];
  const pictures = make("div", { class: "pictures" });
  pictures.append(figure("Trace", (view.w === 1 ? "Every draw of each chain." : "Each point stands for " + counted(view.w, "draw") + ": shaded is their range, the line is their mean.") +
    " R-hat is " + fixed(s.rhat[k], 3) + (s.rhat[k] > 1.01 ? ": above 1.01 the chains do not agree yet." : ": the chains agree."), (width) => paintTrace(view, width)));
  pictures.append(figure("Density", (view.whole ? "Share of the draws at each whole number." : "Thick line: all draws" + (bytesOf(view.d).length > view.n && chains > 1 ? "; thin lines: chain by chain" : "") + ".") +
    " The median is " + fixed(s.q50[k], decimalsOf(k)) + "; the shaded interval holds 90\u00a0% of the draws." + priorWords(view, k), (width) => paintDensity(view, k, width)));
  if (view.r && chains > 1) pictures.append(figure("Ranks", rankWords(view), (width) => paintRanks(view, width)));
  const total = parameters.draws.reduce((a, b) => a + b, 0);
  pictures.append(figure("Autocorrelation", "About one draw in " + digits(Math.max(1, total / s.ess_bulk[k]), 2) + " is worth an independent one.", (width) => paintAutocorrelation(view, width)));
  if (view.eb) pictures.append(figure("Effective sample size", "Of the first draws, up to all of them: " + grouped(s.ess_bulk[k]) + " in the bulk (solid), " + grouped(s.ess_tail[k]) +
    " in the tails (broken line). It should grow in proportion to the draws, and beyond 400 (dashed).", (width) => paintSizes(view, width)));
  return [chains > 1 ? chainLegend(chains) : null, pictures];
}

/** Fills the box of one variable; heading and content come with the catalogue. */
function showParameter(k, jump) {
  if (!parameterBox || !(k >= 0) || k >= catalogue.names.length) return;
  shownParameter = k;
  parameterInput.value = catalogue.names[k];
  const badgeOf = parameters && trustOf(k) ? badge(trustOf(k)) : null;
  const content = parameters ? [...parameterWords(k), ...parameterPictures(k)] : comparedPictures(k);
  parameterBox.replaceChildren(...[make("h3", { id: "parameter-name" }, catalogue.names[k], " ", badgeOf), ...content].filter((x) => x));
  paintAll();
  if (jump) document.getElementById("parameter").scrollIntoView({ block: "start" });
}

/** The next parameter in the order of doubt, or the one before. */
function stepParameter(by) {
  const order = catalogue.worst, at = order.indexOf(shownParameter);
  showParameter(order[(at + by + order.length) % order.length], false);
}

function addParameter(title, hint) {
  if (!catalogue || (parameters && parameters.with_draws === 0)) return;
  parameterBox = make("div", { id: "parameter-box", "aria-live": "polite" });
  const names = make("datalist", { id: "names" }, catalogue.names.slice(0, 2000).map((name) => make("option", { value: name })));
  parameterInput = make("input", { type: "text", id: "parameter-input", list: "names", autocomplete: "off", spellcheck: "false" });
  parameterInput.addEventListener("change", () => { if (nameIndex.has(parameterInput.value)) showParameter(nameIndex.get(parameterInput.value), false); });
  addSection("parameter", title,
    make("p", { class: "tools" }, make("label", { for: "parameter-input" }, "Variable "), parameterInput, names, " ",
         make("button", { type: "button", id: "previous", onclick: () => stepParameter(-1) }, "\u2190 previous"), " ",
         make("button", { type: "button", id: "next", onclick: () => stepParameter(1) }, "next \u2192"),
         make("span", { class: "hint" }, hint)), parameterBox);
}

document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement;
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !catalogue) return;
  if (event.key === "j" || event.key === "k") stepParameter(event.key === "j" ? 1 : -1);
  else if (event.key === "/" && document.getElementById("search")) { event.preventDefault(); document.getElementById("search").focus(); }
});
