// The basis of the verdict: which coordinates are biased, by how much, and with what error.
const trustClass = { "trust": "trust", "caution": "caution", "do not trust": "wrong", "cannot tell": "open" };
const trustMark = { "trust": "\u2713", "caution": "!", "do not trust": "\u2715", "cannot tell": "?" };
const badge = (trust) => make("span", { class: "badge " + (trustClass[trust] || "open"), title: trust },
                              make("span", { "aria-hidden": "true" }, trustMark[trust] || "?"), " ", trust);
const gravity = { "do not trust": 3, "caution": 2, "cannot tell": 1, "trust": 0 };

const bias = data.bias || null;
if (bias) {
  bias.trust = bias.trust.map((grave) => ["trust", "cannot tell", "caution", "do not trust"][grave]);
  bias.advice = bias.advice.map((words) => words || "");
  bias.sd_ratio = bias.sd_ratio.map((ratio) => (ratio > 0 ? ratio : null)); // 0: the gradients do not determine it
}
const biasIndex = new Map(bias ? bias.names.map((name, k) => [name, k]) : []);

/** How far a coordinate is off, relative to the tolerance. */
function offBy(k) {
  const sd = isNumber(bias.sd_ratio[k]) && bias.sd_ratio[k] > 0 ? Math.abs(Math.log(bias.sd_ratio[k])) / bias.sd_tolerance : 0;
  const mean = isNumber(bias.shift[k]) ? Math.abs(bias.shift[k]) / bias.mean_tolerance : 0;
  return Math.max(sd, mean);
}

function worstCoordinates() {
  const order = bias.names.map((_, k) => k);
  return order.sort((a, b) => (gravity[bias.trust[b]] || 0) - (gravity[bias.trust[a]] || 0) || offBy(b) - offBy(a));
}

const withError = (x, error, count) => digits(x, count) + (isNumber(error) ? " \u00b1 " + digits(error, 1) : "");

function coordinateTable(order) {
  return table(["coordinate", "judged", "sd ratio", "mean shift", "advice"], order.map((k) => [
    bias.names[k], badge(bias.trust[k]), withError(bias.sd_ratio[k], (bias.sd_error[k] || 0) * (bias.sd_ratio[k] || 0), 3),
    withError(bias.shift[k], bias.shift_error[k], 2), bias.advice[k] ? sentence(bias.advice[k]) : ""]), "numbers words-last");
}

/** Logarithms of ratios: percentages near 1, factors further away. */
function ratioTicks(reach, count) {
  if (reach < Math.log(2)) return linearTicks(Math.exp(-reach * 0.97) - 1, Math.exp(reach * 0.97) - 1, count).map((share) => Math.log(1 + share));
  const factors = reach < Math.log(6) ? [1.5, 2, 3, 5] : [2, 5, 10, 20, 50, 100, 1000, 1e4, 1e6];
  const inside = factors.filter((factor) => Math.log(factor) < 0.97 * reach);
  const every = Math.ceil((2 * inside.length + 1) / (count + 1)), kept = inside.filter((_, k) => (inside.length - 1 - k) % every === 0);
  return [...kept.map((factor) => -Math.log(factor)).reverse(), 0, ...kept.map((factor) => Math.log(factor))];
}
const ratioText = (x) => (Math.abs(x) < Math.log(1.45) ? percent(Math.exp(x) - 1) : x > 0 ? "\u00d7" + digits(Math.exp(x), 2) : "\u00f7" + digits(Math.exp(-x), 2));

/** The label of a ratio without bias, among percentages or factors. */
const evenText = (reach) => (reach < Math.log(2) ? "0" : "\u00d71");

/** Dots with error bars of sd ratios and mean shifts, a row for each coordinate; kindOf(k): the class of its colour. */
function paintForest(order, width, b, kindOf) {
  const row = 18, top = 26, bottom = 40, height = top + row * order.length + bottom;
  const longest = Math.max(...order.map((k) => b.names[k].length));
  const names = Math.min(Math.max(60, 7 * longest), width * 0.32), gap = 18;
  const panel = (width - names - gap - 12) / 2;
  const svg = draw("svg", { viewBox: "0 0 " + width + " " + height, width, height, class: "chart" });
  const panels = [
    { title: "sd ratio", at: names, value: (k) => (b.sd_ratio[k] > 0 ? Math.log(b.sd_ratio[k]) : null), error: (k) => b.sd_error[k],
      expected: (k) => (b.predicted && b.predicted[k] > 0 ? Math.log(b.predicted[k]) : null), tolerance: Math.log(1 + b.sd_tolerance), wrong: Math.log(1 + b.sd_wrong), format: ratioText, even: evenText, ticks: ratioTicks },
    { title: "mean shift, in sds", at: names + panel + gap, value: (k) => b.shift[k], error: (k) => b.shift_error[k],
      tolerance: b.mean_tolerance, wrong: b.mean_wrong, format: (x) => (x > 0 ? "+" : "") + digits(x, 2), even: () => "0", ticks: (reach, count) => linearTicks(-reach * 0.97, reach * 0.97, count) }];
  order.forEach((k, line) => {
    const name = b.names[k], most = Math.floor(names / 6.6);
    svg.append(draw("text", { x: names - 8, y: top + row * line + row / 2 + 4, "text-anchor": "end" },
                    draw("title", {}, name), name.length > most ? name.slice(0, most - 1) + "\u2026" : name));
  });
  for (const p of panels) {
    let reach = 1.5 * p.wrong;
    for (const k of order) if (isNumber(p.value(k))) reach = Math.max(reach, Math.min(1.05 * Math.abs(p.value(k)), 12 * p.wrong));
    const x = (value) => p.at + panel / 2 + (Math.max(-reach, Math.min(reach, value)) / reach) * (panel / 2 - 6);
    const end = top + row * order.length;
    svg.append(draw("text", { x: p.at + panel / 2, y: 12, "text-anchor": "middle", class: "label" }, p.title));
    svg.append(draw("rect", { x: x(-p.wrong), width: x(p.wrong) - x(-p.wrong), y: top - 6, height: end - top + 12, class: "band-wide" }));
    svg.append(draw("rect", { x: x(-p.tolerance), width: x(p.tolerance) - x(-p.tolerance), y: top - 6, height: end - top + 12, class: "band" }));
    svg.append(draw("line", { x1: x(0), x2: x(0), y1: top - 6, y2: end + 6, class: "axis" }));
    for (const tick of p.ticks(reach, Math.max(2, panel / 75))) {
      svg.append(draw("line", { x1: x(tick), x2: x(tick), y1: end + 6, y2: end + 10, class: "axis" }));
      svg.append(draw("text", { x: x(tick), y: end + 23, "text-anchor": "middle" }, Math.abs(tick) < 1e-12 ? p.even(reach) : p.format(tick)));
    }
    order.forEach((k, line) => {
      const value = p.value(k), y = top + row * line + row / 2;
      if (!isNumber(value)) return;
      const error = isNumber(p.error(k)) ? 2 * p.error(k) : 0, kind = kindOf(k);
      svg.append(draw("line", { x1: x(value - error), x2: x(value + error), y1: y, y2: y, class: "bar " + kind }));
      const expected = p.expected ? p.expected(k) : null;
      if (isNumber(expected) && Math.abs(expected) <= reach) svg.append(draw("path", { d: "M" + place(x(expected)) + " " + (y - 5) + "l4 5l-4 5l-4 -5z", class: "expected" }));
      svg.append(Math.abs(value) > reach ? draw("path", { d: value > 0 ? "M" + (x(value) - 4) + " " + (y - 4) + "l7 4l-7 4z" : "M" + (x(value) + 4) + " " + (y - 4) + "l-7 4l7 4z", class: "dot " + kind })
                                         : draw("circle", { cx: x(value), cy: y, r: 3.6, class: "dot " + kind }));
    });
  }
  return svg;
}

/** All coordinates: sd ratio against mean shift, with a box for the tolerances. */
function paintMap(width) {
  const height = Math.min(380, Math.max(260, width * 0.6));
  let most = 1.4 * bias.mean_wrong, ratio = 1.5 * Math.log(1 + bias.sd_wrong);
  bias.names.forEach((_, k) => {
    if (isNumber(bias.shift[k])) most = Math.max(most, Math.min(Math.abs(bias.shift[k]) * 1.05, 10));
    if (bias.sd_ratio[k] > 0) ratio = Math.max(ratio, Math.min(Math.abs(Math.log(bias.sd_ratio[k])) * 1.05, 3));
  });
  const chart = axes(width, height, { lo: -most, hi: most, label: "mean shift, in posterior sds" },
                     { lo: -ratio, hi: ratio, label: "sd ratio", ticks: ratioTicks(ratio, 7), format: (x) => (Math.abs(x) < 1e-12 ? evenText(ratio) : ratioText(x)) }, { left: 62 });
  const box = (mean, sd, classes) => draw("rect", { x: chart.x(-mean), width: chart.x(mean) - chart.x(-mean), y: chart.y(Math.log(1 + sd)),
                                                    height: chart.y(-Math.log(1 + sd)) - chart.y(Math.log(1 + sd)), class: classes });
  chart.svg.append(box(bias.mean_wrong, bias.sd_wrong, "band-wide"), box(bias.mean_tolerance, bias.sd_tolerance, "band"));
  chart.svg.append(rule(chart, chart.y(0), "axis"), post(chart, chart.x(0), "axis"));
  const clamp = (x, reach) => Math.max(-reach, Math.min(reach, x));
  const order = worstCoordinates();
  const taken = [];
  for (let at = order.length - 1; at >= 0; --at) {
    const k = order[at];
    if (!isNumber(bias.shift[k]) || !(bias.sd_ratio[k] > 0)) continue;
    const x = chart.x(clamp(bias.shift[k], most)), y = chart.y(clamp(Math.log(bias.sd_ratio[k]), ratio));
    chart.svg.append(draw("circle", { cx: place(x), cy: place(y), r: order.length > 500 ? 2.2 : 3.4, class: "dot see-through " + (trustClass[bias.trust[k]] || "open") },
                          draw("title", {}, bias.names[k] + ": sd ratio " + digits(bias.sd_ratio[k]) + ", mean shift " + digits(bias.shift[k], 2))));
  }
  for (const k of order.slice(0, 8)) {
    if ((gravity[bias.trust[k]] || 0) < 2 || !isNumber(bias.shift[k]) || !(bias.sd_ratio[k] > 0)) continue;
    const x = chart.x(clamp(bias.shift[k], most)), y = chart.y(clamp(Math.log(bias.sd_ratio[k]), ratio));
    if (taken.some(([a, b]) => Math.abs(a - x) < 70 && Math.abs(b - y) < 13)) continue;
    taken.push([x, y]);
    const end = x > chart.right - 80;
    chart.svg.append(draw("text", { x: x + (end ? -6 : 6), y: y - 5, "text-anchor": end ? "end" : "start", class: "name" }, bias.names[k]));
  }
  return chart.svg;
}

/** Advice is "cause; remedy": the remedies, those of the most serious problems first, each with its parameters. */
function whatToDo(order) {
  const found = new Map();
  for (const k of order) {  // most serious first
    const at = bias.advice[k].indexOf("; ");
    if (bias.trust[k] === "trust" || at < 0) continue;
    const remedy = bias.advice[k].slice(at + 2).replace("control variates (-cv)", "control variates (a method whose name ends in `-cv`)")
      .replace("make it much smaller", "make the step size much smaller").replace("halve it", "halve the step size");
    const known = found.get(remedy) || { names: [], gravity: gravity[bias.trust[k]] };
    found.set(remedy, { ...known, names: [...known.names, bias.names[k]] });
  }
  if (data.pairs && data.pairs.divergences > 0)
    found.set("against divergences, raise the target acceptance towards 1; if effects of groups have a scale `tau`, write them as `mu + tau * z`", { names: [], gravity: 3 });
  const most = 3, few = 2, sorted = [...found].sort((a, b) => b[1].gravity - a[1].gravity || b[1].names.length - a[1].names.length);
  return sorted.slice(0, most).map(([remedy, { names }], k) => [k > 0 ? " " : null,
    sentence(remedy[0].toUpperCase() + remedy.slice(1) + (sorted.length === 1 || names.length === 0 ? "" : names.length > few ? " (for " + grouped(names.length) + " parameters)" : " (for " + names.map((name) => "`" + name + "`").join(" and ") + ")"))]);
}

/** Takes remedies that "What to do" names out of the sentences on single coordinates. */
function withoutRemedies(section) {
  const plain = (text) => text.replaceAll("`", "").replace(/\.$/, "").toLowerCase();
  const known = new Map(bias.advice.map((advice) => [plain(advice), advice]));
  for (const line of section.querySelectorAll("p")) {
    const advice = known.get(plain(line.textContent)), at = advice ? advice.indexOf("; ") : -1;
    if (at > 0) line.replaceChildren(sentence(advice[0].toUpperCase() + advice.slice(1, at)));
  }
}

function addVerdict() {
  const section = document.getElementById("verdict");
  sections.push(["verdict", data.documents || data.factors ? "Overview" : "Verdict"]);
  if (!bias || bias.names.length === 0) return;
  const order = worstCoordinates(), first = [];
  for (const [trust, label] of [["do not trust", "Do not trust"], ["caution", "With caution"], ["cannot tell", "Cannot tell"]]) {
    const found = order.filter((k) => bias.trust[k] === trust);
    if (found.length === 0) continue;
    first.push(make("p", { class: "suspects" }, make("strong", {}, label + " (" + grouped(found.length) + " of " + grouped(bias.all) + "): "),
                    found.slice(0, 12).map((k) => [parameterLink(bias.names[k], "chip " + trustClass[trust]), " "]),
                    found.length > 12 ? "and " + grouped(found.length - 12) + " more" : null));
  }
  const remedies = whatToDo(order);
  if (remedies.length > 0) {
    const unchanged = [...section.querySelectorAll("p")].find((line) => line.textContent.startsWith("All else unchanged"));
    first.push(make("p", { class: "todo" }, make("strong", {}, "What to do: "), remedies, unchanged ? " " + unchanged.textContent : null));
    if (unchanged) unchanged.remove();
    withoutRemedies(section);
  }
  const lead = section.querySelector(".lead");
  if (lead) lead.after(...first);
  else section.append(...first);
  const counts = {};
  for (const trust of bias.trust) counts[trust] = (counts[trust] || 0) + 1;
  const most = 30, shown = order.slice(0, most);
  const worst = order[0];
  const words = counted(bias.all, "unconstrained coordinate") + " judged by gradients at " + grouped(bias.points) + " draws: " +
    ["trust", "caution", "do not trust", "cannot tell"].filter((t) => counts[t]).map((t) => grouped(counts[t]) + " " + t).join(", ") +
    ". Furthest off is " + bias.names[worst] + ", with an sd ratio of " + (isNumber(bias.sd_ratio[worst]) ? digits(bias.sd_ratio[worst]) : "unknown size") + " and a mean shift of " +
    (isNumber(bias.shift[worst]) ? digits(bias.shift[worst], 2) + " sds" : "unknown size") + ". The dark band is what is tolerated, the light band the limit beyond which draws are wrong.";
  const below = make("section", { id: "bias", class: "card", "aria-labelledby": "bias-title" },
                     make("h2", { id: "bias-title" }, "How far off are the draws?"),
                     make("p", {}, "Gradients of the log density at the draws show how the sd and the mean of the draws differ from those of the posterior. "
                       + "R-hat cannot: it only compares chains with one another."));
  const pictures = make("div", { class: "pictures" });
  if (order.length > 12) pictures.append(figure("Every coordinate", words, paintMap));
  pictures.append(figure(order.length > most ? "The " + most + " coordinates in most doubt" : "Coordinate by coordinate",
                         (order.length > 12 ? "" : words + " ") + "Bars are two standard errors." +
                         (shown.some((k) => isNumber(bias.predicted[k])) ? " Diamonds: the sd ratio that step size and noise of the gradients should cause." : ""), (width) => paintForest(shown, width, bias, (k) => trustClass[bias.trust[k]] || "open")));
  below.append(pictures, folded("As a table", coordinateTable(order.slice(0, 500)),
                                order.length > 500 ? make("p", {}, "The first 500 of " + grouped(order.length) + ".") : null));
  main.append(below);
  sections.push(["bias", "Bias"]);
}
