// The page: sections in the order in which people ask.
function addNavigation() {
  const links = sections.map(([id, title]) => make("a", { href: "#" + id }, title));
  document.querySelector("header").after(make("nav", { "aria-label": "sections" }, links));
}

addVerdict();
addSummary();
addParameter();
addGroups();
addPairs();
addEnergy();
addDocuments();
addTuning();
addModel();
addRun();
addNavigation();
if (parameters && parameters.worst.length > 0) showParameter(parameters.worst[0], false);
paintAll();

let waiting = 0;
window.addEventListener("resize", () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(paintAll);
});
document.addEventListener("toggle", () => paintAll(), true);
document.documentElement.setAttribute("data-drawn", "true");
