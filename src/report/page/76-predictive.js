// Posterior predictive checks: data simulated from the model beside the observed data.
function paintBins(outcome, width) {
  const bins = outcome.bins, n = bins.observed.length, end = bins.low + n * bins.width;
  const top = Math.max(...bins.observed, ...bins.predicted.map((p) => p[2])) * 1.06;
  const whole = outcome.integer && bins.width === 1;
  const chart = axes(width, 240, { lo: bins.low, hi: end, label: outcome.name, ticks: whole && n <= 12 ? Array.from({ length: n }, (_, k) => bins.low + 0.5 + k) : undefined },
                     { lo: 0, hi: top, format: (x) => digits(100 * x, 3) + "\u00a0%" }, { left: 52 });
  bins.observed.forEach((share, k) => {
    const x = chart.x(bins.low + k * bins.width), wide = chart.x(bins.low + (k + 1) * bins.width) - x, middle = x + wide / 2, [low, median, high] = bins.predicted[k];
    chart.svg.append(draw("rect", { x: x + (whole ? 0.12 * wide : 0), width: Math.max(0.5, (whole ? 0.76 : 1) * wide - 0.5), y: chart.y(share), height: chart.bottom - chart.y(share), class: "observed" }));
    chart.svg.append(draw("line", { x1: middle, x2: middle, y1: chart.y(low), y2: chart.y(high), class: "bar predicted" }), draw("circle", { cx: middle, cy: chart.y(median), r: 2.6, class: "dot-predicted" }));
  });
  return chart.svg;
}

function paintPredicted(outcome, width) {
  const groups = outcome.groups, values = groups.flatMap((g) => [g.observed, ...g.predicted]);
  const low = Math.min(...values), high = Math.max(...values), pad = 0.05 * (high - low || 1);
  const range = { lo: low - pad, hi: high + pad };
  const chart = axes(width, 240, { ...range, label: "predicted mean" }, { ...range, label: "observed mean" }, { left: 58 });
  chart.svg.append(draw("line", { x1: chart.x(range.lo), y1: chart.y(range.lo), x2: chart.x(range.hi), y2: chart.y(range.hi), class: "middle" }));
  for (const g of groups) {
    const x = chart.x(g.predicted[1]), outside = g.observed < g.predicted[0] || g.observed > g.predicted[2];
    chart.svg.append(draw("line", { x1: x, x2: x, y1: chart.y(g.predicted[0]), y2: chart.y(g.predicted[2]), class: "bar predicted" }));
    chart.svg.append(draw("circle", { cx: x, cy: chart.y(g.observed), r: 3.6, class: "dot " + (outside ? "wrong" : "trust") }));
  }
  return chart.svg;
}

/** Whether the observed value is outside the range of nearly all replications. */
const isMissed = (statistic) => statistic.below < 0.01 || statistic.below > 0.99;
const between = (p) => digits(p[0], 3) + " to " + digits(p[2], 3);

function addPredictive() {
  const found = data.predictive;
  if (!found) {
    if (data.no_predictive) addSection("predictive", "Predictive checks", make("p", { class: "caption" }, "There are none: " + data.no_predictive));
    return;
  }
  const section = addSection("predictive", "Predictive checks",
    make("p", {}, "Does the model predict data like those observed? For " + grouped(found.replications) + " draws of the parameters, the model drew data. " +
      (data.trust === "do not trust" ? "But these draws should not be trusted: where the observed data stand out, the sampler may be at fault." : "Where the observed data stand out, the model is wrong, not the sampler.")));
  for (const outcome of found.outcomes) {
    const missed = outcome.statistics.filter(isMissed), kept = outcome.statistics.filter((s) => !isMissed(s));
    const words = missed.length === 0 ? "Data like these are what the model predicts" + (kept.length > 1 ? ", as far as " + kept.map((s) => s.name).join(", ") + " tell." : ", as far as the " + kept[0].name + " tells.")
      : "The model misses the " + missed.map((s) => s.name + " (observed " + digits(s.observed, 3) + ", predicted " + between(s.predicted) + ")").join(" and the ") + ".";
    const outside = outcome.bins.observed.filter((share, k) => share < outcome.bins.predicted[k][0] || share > outcome.bins.predicted[k][2]).length;
    const pictures = make("div", { class: "pictures" }, figure("Distribution", "Bars: observed. Lines: 90\u00a0% of the replications, with their median. " + grouped(outside) + " of " + grouped(outcome.bins.observed.length) +
      " bars end outside their line, where one in ten is expected. Values further out are in the outermost bars.", (width) => paintBins(outcome, width)));
    if (outcome.groups) {
      const off = outcome.groups.filter((g) => g.observed < g.predicted[0] || g.observed > g.predicted[2]).length;
      pictures.append(figure("Observed against predicted", "Elements in " + outcome.groups.length + " groups by their predicted value: dots are observed means, lines 90\u00a0% of the replicated means. " + grouped(off) + " of " + outcome.groups.length +
        " dots lie outside their line (orange), where one in ten is expected.", (width) => paintPredicted(outcome, width)));
    }
    section.append(...[make("h3", {}, outcome.name), make("p", { class: missed.length > 0 ? "doubt" : "fine" }, words),
      outcome.shown < outcome.elements ? make("p", { class: "caption" }, grouped(outcome.shown) + " of " + grouped(outcome.elements) + " elements were drawn anew, chosen at random.") : null, pictures,
      table(["statistic", "observed", "replicated: 5\u00a0%", "50\u00a0%", "95\u00a0%", "replications below"], outcome.statistics.map((s) => [s.name, doubtful(digits(s.observed, 4), isMissed(s)), ...s.predicted.map((x) => digits(x, 4)), digits(100 * s.below, 3) + "\u00a0%"]), "numbers")].filter((x) => x));
  }
}
