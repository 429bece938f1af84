// Keyboard for triage (j k Enter a d 1-9 u ?) and the small conditional
// requests that keep a page fresh while it is in front. No state is kept here.
(function () {
  "use strict";

  function rows() { return Array.from(document.querySelectorAll("[data-row]")); }

  function move(by) {
    var all = rows();
    if (!all.length) return;
    var at = all.indexOf(document.activeElement);
    var to = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
    all[Math.max(0, Math.min(all.length - 1, to))].focus();
  }

  function writing(e) {
    return /^(TEXTAREA|SELECT)$/.test(e.tagName) || (e.tagName === "INPUT" && e.type !== "checkbox");
  }

  document.addEventListener("keydown", function (e) {
    var keys = document.getElementById("keys");
    if (e.ctrlKey || e.metaKey || e.altKey || writing(e.target) || (keys && keys.open)) return;
    if (e.key === "j") return move(1);
    if (e.key === "k") return move(-1);
    if (e.key === "?" && keys) return keys.showModal();
    if (e.key === "u") {
      var up = document.querySelector("a[data-up]");
      if (up) up.click();
      return;
    }
    // Chooses only; the second press, of Enter or Space, decides: no answer by
    // a slip of one key.
    var chosen = /^[ad1-9]$/.test(e.key) && document.querySelector('[data-key="' + e.key + '"]');
    if (chosen) chosen.focus();
  });

  // Live: htmx asks again every few seconds while the page is in front, with
  // the tag of what it shows; 304 changes nothing.
  var stale = document.getElementById("stale");
  var lost = -1; // which row had the focus before it was replaced

  function deaf(is) { if (stale) stale.hidden = !is; }

  document.querySelectorAll("[data-live]").forEach(function (live) {
    var ended = false;

    function mine(f) { return function (e) { if (e.target === live) f(e); }; }

    live.addEventListener("htmx:configRequest", mine(function (e) {
      e.detail.headers["If-None-Match"] = live.dataset.tag;
    }));
    live.addEventListener("htmx:afterRequest", mine(function (e) {
      var status = e.detail.xhr.status;
      if (status === 200) live.dataset.tag = e.detail.xhr.getResponseHeader("ETag") || "";
      deaf(status !== 200 && status !== 304);
      ended = status >= 400 && status < 500; // signed out, or gone
    }));
    live.addEventListener("htmx:beforeSwap", mine(function () {
      lost = rows().indexOf(document.activeElement);
    }));
    live.addEventListener("htmx:afterSwap", mine(function () {
      var all = rows(); // a row that is still there keeps the focus by its id
      if (lost >= 0 && document.activeElement === document.body && all.length) {
        all[Math.min(lost, all.length - 1)].focus();
      }
    }));

    function refresh() { if (!ended && !document.hidden) window.htmx.trigger(live, "refresh"); }
    setInterval(refresh, Number(live.dataset.every) || 4000);
    document.addEventListener("visibilitychange", refresh);
  });
})();
