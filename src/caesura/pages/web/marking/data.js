// What the page was given.

const data = JSON.parse(document.getElementById("data").textContent);
