// From files a browser may not fetch the pages found, of which the search would quote a line.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// The theme's arrows that open parts of the sidebar have no name for those who do not see them.
document.addEventListener("DOMContentLoaded", () => {
  for (const arrow of document.querySelectorAll(".bd-sidebar-primary details > summary")) {
    const entry = arrow.closest("li")?.querySelector("a");
    if (entry) arrow.setAttribute("aria-label", `Parts of ${entry.textContent.trim()}`);
  }
});
