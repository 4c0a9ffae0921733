"""The style of a report: light and dark, on a phone, on A4."""

import re

CHART_FONT = "Libertinus Serif"
"""Of the charts of a PDF; Typst carries it."""
STYLE = """
:root { color-scheme: light dark; --ink: #1b2430; --dim: #55606e; --page: #ffffff; --panel: #f3f6f9; --line: #d3dae2;
  --accent: #1f5fa8; --best: #b3480a; --bar: #7fa8d4; --warn: #8a5a00; --warn-panel: #fff6e0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ef; --dim: #a4afbc; --page: #12171d; --panel: #1b222b;
  --line: #38434f; --accent: #8ab8ee; --best: #ff9e5e; --bar: #3f6c9c; --warn: #f0c061; --warn-panel: #2c2616; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI",
  Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
header, main, footer { max-width: 62rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; }
footer { padding-bottom: 2.5rem; color: var(--dim); font-size: 0.875rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.4rem; }
h2 { font-size: 1.3rem; line-height: 1.25; margin: 2.6rem 0 0.6rem; padding-top: 0.7rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 0.4rem; }
p { margin: 0.5rem 0; max-width: 46rem; }
p, li, h1 { overflow-wrap: anywhere; }
.dim, .note { color: var(--dim); }
.note { font-size: 0.875rem; }
.lead { font-size: 1.15rem; }
a { color: var(--accent); }
a:focus-visible, .wide:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
nav ol { columns: 14rem; padding-left: 1.8rem; margin: 0.4rem 0; font-size: 0.95rem; }
.key { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.75rem; margin: 1rem 0; }
.key div { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.6rem 0.8rem; }
.key dt { font-size: 0.875rem; color: var(--dim); }
.key dd { margin: 0; font-size: 1.1rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.plain { display: grid; grid-template-columns: minmax(9rem, 15rem) 1fr; gap: 0.3rem 1.2rem; margin: 0.8rem 0; }
.plain dt { color: var(--dim); }
.plain dd { margin: 0; overflow-wrap: anywhere; }
.alert { background: var(--warn-panel); border-left: 4px solid var(--warn); padding: 0.5rem 0.9rem; margin: 0.9rem 0; }
.alert p { margin: 0.25rem 0; }
.wide { overflow-x: auto; margin: 0.9rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
caption { text-align: left; font-weight: 600; padding: 0 0 0.35rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.7rem 0.4rem 0; border-bottom: 1px solid var(--line);
  min-width: 4.5rem; overflow-wrap: break-word; }
th:last-child, td:last-child { padding-right: 0; }
thead th { vertical-align: bottom; color: var(--dim); font-weight: 600; }
tbody th, tfoot th { font-weight: 500; min-width: 10rem; }
tfoot th, tfoot td { border-top: 2px solid var(--ink); border-bottom: 0; font-weight: 700; }
td div { min-width: 13rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead .number { white-space: normal; }
.number + :not(.number) { padding-left: 0.8rem; }
figure { margin: 1rem 0; }
figcaption { font-size: 0.95rem; max-width: 46rem; }
svg { display: block; width: 100%; min-width: 34rem; max-width: 46rem; height: auto; }
svg text { font-size: 13px; fill: var(--ink); }
svg .axis { fill: var(--dim); }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .through { fill: none; stroke: var(--accent); stroke-width: 1.5; opacity: 0.6; }
svg .front { fill: var(--accent); }
svg .best { fill: var(--best); stroke: var(--page); stroke-width: 1.5; }
svg .today { fill: none; stroke: var(--ink); stroke-width: 2.5; }
svg .close { fill: none; stroke: var(--dim); stroke-width: 2; }
svg .bar { fill: var(--bar); }
svg .base { stroke: var(--best); stroke-width: 2; stroke-dasharray: 5 4; }
ul { padding-left: 1.2rem; max-width: 46rem; }
li { margin: 0.35rem 0; }
@media (max-width: 40rem) {
  header, main, footer { padding-left: 1rem; padding-right: 1rem; }
  h1 { font-size: 1.45rem; }
  .plain { grid-template-columns: 1fr; gap: 0; }
  .plain dd { margin-bottom: 0.6rem; }
}
@page { size: A4; margin: 16mm 15mm 18mm; }
@media print {
  :root { color-scheme: light; --ink: #000000; --dim: #444444; --page: #ffffff; --panel: #ffffff; --line: #bbbbbb;
    --accent: #1f5fa8; --best: #b3480a; --bar: #9dbbdb; --warn: #8a5a00; --warn-panel: #ffffff; }
  body { font-size: 9.5pt; line-height: 1.4; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  header, main, footer { max-width: none; padding-left: 0; padding-right: 0; }
  h1 { font-size: 18pt; }
  h2 { font-size: 13pt; margin-top: 7mm; }
  h3 { font-size: 10.5pt; }
  .lead { font-size: 11pt; }
  .note { font-size: 8pt; }
  nav { display: none; }
  .key { grid-template-columns: repeat(3, 1fr); }
  .key dd { font-size: 11pt; }
  .key dt { font-size: 8pt; }
  .wide { overflow: visible; }
  table { font-size: 8pt; }
  th, td { min-width: 0; padding: 0.9mm 2mm 0.9mm 0; }
  td, tbody th { overflow-wrap: anywhere; }
  td div { min-width: 0; }
  table.short { break-inside: avoid; }
  tbody tr:first-child { break-before: avoid; }
  figcaption { font-size: 9.5pt; }
  tbody th, tfoot th { min-width: 0; }
  thead { display: table-header-group; }
  tfoot { display: table-row-group; }
  tr, figure, .key div, .alert { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
  svg { min-width: 0; max-width: 150mm; }
  a { color: inherit; text-decoration: none; }
}
"""


def chart_style() -> str:
    """Return the light style of the charts by itself, its colours put in: what sets a PDF knows no variables."""
    light = STYLE.partition("@media")[0]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", light))
    rules = re.findall(r"^svg ((?:text|\.)[^\n]*)$", STYLE, re.MULTILINE)
    text = "\n".join([f"text {{ font-family: '{CHART_FONT}'; }}", *rules])
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], text)
