// Matrix factorisations: how well ratings are predicted, and the course of the run.
function addFactors() {
  const found = data.factors;
  if (!found) return;
  const facts = [["users", grouped(found.users)], ["items", grouped(found.items)], ["factors", grouped(found.factors)], ["draws kept", grouped(found.draws)],
                 ["RMSE of held-out ratings", digits(found.rmse, 4)], ["mean log density of a held-out rating", digits(found.log_predictive, 4)], ["inside their intervals", isNumber(found.coverage) ? digits(100 * found.coverage, 3) + "\u00a0%" : dash]];
  addSection("items", "Scores", table(["", ""], facts.filter(([, text]) => text !== dash), "facts"));
  if (!found.course) return;
  const column = (name) => { const at = found.course.columns.indexOf(name), values = at < 0 ? null : found.course.values[at]; return values && values.some(isNumber) ? values : null; };
  const x = column("iteration"), pictures = make("div", { class: "pictures" });
  if (!x) return;
  const last = (values) => values.filter(isNumber).slice(-1)[0];
  const error = [column("rmse"), column("averaged_rmse")].filter((values) => values);
  if (error.length > 0)
    pictures.append(figure("Error of held-out ratings", "Solid: RMSE of single draws, " + digits(last(error[0]), 4) + " at the end" + (error.length > 1 ? "; broken line: of the average so far, " + digits(last(error[1]), 4) : "") + ". Lower is better.",
                           (width) => paintCourse(x, error.map((values) => ({ values })), "RMSE", width)));
  for (const [name, title, label, words] of [["coverage", "Coverage", "share", "Share of held-out ratings inside their predictive intervals, "], ["noise_precision", "Noise", "precision", "Precision of the noise of a rating, "], ["log_predictive", "Log density", "log density", "Mean log density of a held-out rating, "]]) {
    const values = column(name);
    if (values) pictures.append(figure(title, words + digits(last(values), 4) + " at the end.", (width) => paintCourse(x, [{ values }], label, width)));
  }
  if (pictures.childElementCount > 0) addSection("course", "Course of the run", pictures);
}
