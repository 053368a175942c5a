"use strict";
// Shows the findings that have one of the chosen values of each filter, and all of the typed words.
(() => {
  const form = document.getElementById("filters");
  const boxes = [...form.querySelectorAll("input[type=checkbox]")];
  const words = document.getElementById("words");
  const cards = [...document.querySelectorAll("article")];
  const texts = cards.map((card) => card.textContent.toLowerCase());
  const apply = () => {
    const chosen = new Map();
    for (const box of boxes) {
      if (box.checked) chosen.set(box.name, (chosen.get(box.name) || new Set()).add(box.value));
    }
    const typed = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    cards.forEach((card, index) => {
      const fits = [...chosen].every(([name, values]) => values.has(card.dataset[name]))
        && typed.every((word) => texts[index].includes(word));
      card.hidden = !fits;
      shown += fits;
    });
    document.getElementById("count").textContent = `${shown} of ${cards.length} shown`;
    document.getElementById("none").hidden = shown > 0;
  };
  for (const box of boxes) box.disabled = false;
  document.documentElement.classList.add("with-script");
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  // A link to a finding that is filtered out shows it again.
  const follow = () => {
    const card = document.getElementById(location.hash.slice(1));
    if (card && card.hidden) {
      form.reset();
      setTimeout(() => card.scrollIntoView());
    }
  };
  addEventListener("hashchange", follow);
  if (matchMedia("(max-width: 60rem)").matches) {
    for (const each of form.querySelectorAll("details")) each.open = false;
  }
  apply();
})();
