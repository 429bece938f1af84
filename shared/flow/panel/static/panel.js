// Keyboard for triage (j k Enter a d ?) and the small conditional request that
// keeps a list fresh while its page is in front. No state is kept here.
(function () {
  "use strict";

  function rows() { return Array.from(document.querySelectorAll("[data-row]")); }

  function move(by) {
    var all = rows();
    if (!all.length) return;
    var at = all.indexOf(document.activeElement) + by;
    all[Math.max(0, Math.min(all.length - 1, at))].focus();
  }

  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
    if (e.key === "j") return move(1);
    if (e.key === "k") return move(-1);
    var b = document.querySelector('button[data-key="' + (e.key === "a" || e.key === "d" ? e.key : "none") + '"]');
    if (b) b.focus(); // the second press, of Enter, decides: no answer by a slip of one key
  });

  var live = document.querySelector("[data-live]");
  if (!live) return;
  var tag = "";
  setInterval(function () {
    if (document.hidden || live.contains(document.activeElement)) return;
    var h = { "HX-Request": "true" };
    if (tag) h["If-None-Match"] = tag;
    fetch(live.dataset.live, { headers: h, cache: "no-store", credentials: "same-origin" }).then(function (r) {
      if (r.status !== 200) return;
      tag = r.headers.get("ETag") || "";
      return r.text().then(function (t) { live.innerHTML = t; });
    }).catch(function () { /* the next one may work */ });
  }, 4000);
})();
