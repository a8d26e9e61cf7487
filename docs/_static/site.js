// From files a browser may not fetch the pages found, of which the search would quote a line.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
