// Sets the colour scheme before the first paint; a file of its own so that the
// content security policy needs no inline script.
(() => {
  let chosen = null;
  try {
    chosen = window.localStorage.getItem("mantine-color-scheme-value");
  } catch {
    chosen = null;
  }
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const scheme =
    chosen === "light" || chosen === "dark" ? chosen : dark ? "dark" : "light";
  document.documentElement.setAttribute("data-mantine-color-scheme", scheme);
})();
