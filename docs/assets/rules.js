// A filter above the table of all rules: rows that hold all of the typed words stay.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("rule-filter");
  const table = place && document.querySelector("article table");
  if (!table) return;
  const label = document.createElement("label");
  label.htmlFor = "rule-words";
  label.textContent = "Filter:";
  const field = document.createElement("input");
  field.id = "rule-words";
  field.type = "search";
  field.placeholder = "as in: sync safe, or: loading advice";
  const count = document.createElement("span");
  count.setAttribute("role", "status");
  const rows = [...table.querySelectorAll("tbody tr")];
  const apply = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} rules`;
  };
  field.addEventListener("input", apply);
  place.append(label, field, count);
  apply();
});
