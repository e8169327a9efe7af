"use strict";
// Search, filters, folding and copying. Whatever a node sent is only ever moved as text or as
// nodes that are there already; nothing is parsed as markup.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const cases = all("[data-outcome]").map((element) => ({ element, text: null }));
  const total = cases.length;
  const groups = all("section.operation");
  const search = byId("search");
  const filters = all("button.filter");

  const textOf = (one) => (one.text ??= one.element.textContent.toLowerCase());

  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcomes = filters.filter((one) => one.ariaPressed === "true").map((one) => one.value);
    let shown = 0;
    for (const one of cases) {
      const wanted =
        (outcomes.length === 0 || outcomes.includes(one.element.dataset.outcome)) &&
        words.every((word) => textOf(one).includes(word));
      one.element.hidden = !wanted;
      shown += wanted ? 1 : 0;
    }
    for (const group of groups) {
      group.hidden = !group.querySelector("details.case:not([hidden])");
    }
    // What was found is to be seen at once, and not below what it was looked for in.
    document.body.classList.toggle("filtered", shown < total);
    byId("none").hidden = shown > 0;
    byId("shown").textContent = shown === total ? "" : `${shown} of ${total} cases`;
  };

  if (search) {
    search.addEventListener("input", apply);
    byId("tools").addEventListener("submit", (event) => event.preventDefault());
    for (const filter of filters) {
      filter.addEventListener("click", () => {
        filter.ariaPressed = filter.ariaPressed === "true" ? "false" : "true";
        apply();
      });
    }
    const foldAll = (open) => () => {
      for (const one of cases) {
        if (!one.element.hidden) one.element.open = open;
      }
    };
    byId("unfold").addEventListener("click", foldAll(true));
    byId("fold").addEventListener("click", foldAll(false));
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !event.ctrlKey && !event.metaKey && event.target !== search) {
        event.preventDefault();
        search.focus();
      } else if (event.key === "Escape" && event.target === search) {
        search.value = "";
        apply();
      }
    });
    byId("tools").hidden = false;
  }

  // An exchange that several cases use is in the page once, and is copied when opened.
  document.addEventListener(
    "toggle",
    (event) => {
      const details = event.target;
      if (!(details instanceof HTMLDetailsElement) || !details.open || !details.dataset.of) return;
      const inside = byId(details.dataset.of)?.querySelector(".inside");
      if (inside) {
        details.querySelector(".inside").replaceWith(inside.cloneNode(true));
        delete details.dataset.of;
      }
    },
    true,
  );

  // A link to a case or an exchange opens it, whatever is filtered away.
  const follow = () => {
    const target = byId(decodeURIComponent(location.hash.slice(1)));
    if (!(target instanceof HTMLDetailsElement)) return;
    if (target.hidden) {
      search.value = "";
      for (const filter of filters) filter.ariaPressed = "false";
      apply();
    }
    target.open = true;
    target.scrollIntoView({ block: "start" });
    target.querySelector("summary").focus({ preventScroll: true });
  };
  window.addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.hash === location.hash) follow();
  });

  const copy = async (button) => {
    const line = button.parentElement.querySelector("pre");
    try {
      await navigator.clipboard.writeText(line.textContent);
      button.textContent = "Copied";
    } catch {
      // Not allowed here: the line is selected, so that it takes one key to copy it.
      getSelection().selectAllChildren(line);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button.copy");
    if (button) copy(button);
  });
  for (const button of all("button.copy")) button.hidden = false;

  if (location.hash) follow();
})();
