// Assembles the page, with sections in the order in which readers need them.
function addNavigation() {
  const links = sections.map(([id, title]) => make("a", { href: "#" + id }, title));
  document.querySelector("header").after(make("nav", { "aria-label": "sections" }, links));
}

if (compared) {
  addComparison();
} else {
  addVerdict();
  addSummary();
  addParameter("One parameter", " in order of doubt; keys k and j");
  addGroups();
  addPairs();
  addEnergy();
  addPredictive();
  addDocuments();
  addFactors();
  addTuning();
  addModel();
  addRun();
}
addNavigation();
if (catalogue && catalogue.worst.length > 0) showParameter(catalogue.worst[0], false);
paintAll();

let waiting = 0;
window.addEventListener("resize", () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(paintAll);
});
document.addEventListener("toggle", () => paintAll(), true);
document.documentElement.setAttribute("data-drawn", "true");
