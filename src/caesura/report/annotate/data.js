// The study as the page was given it.

const data = JSON.parse(document.getElementById("data").textContent);
