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

  // Live: htmx asks again every few seconds while the page is in front, with
  // the tag of what it shows; 304 changes nothing.
  var live = document.querySelector("[data-live]");
  if (!live) return;
  var tag = "";
  live.addEventListener("htmx:configRequest", function (e) {
    if (tag) e.detail.headers["If-None-Match"] = tag;
  });
  live.addEventListener("htmx:afterRequest", function (e) {
    if (e.detail.xhr.status === 200) tag = e.detail.xhr.getResponseHeader("ETag") || "";
  });
  setInterval(function () {
    if (document.hidden || live.contains(document.activeElement)) return;
    window.htmx.trigger(live, "refresh");
  }, 4000);
})();
