"""How Typst sets a report: the document arrives as JSON, so that no text of it is read as a command."""

TEMPLATE = r"""
#let given = json(bytes(sys.inputs.document))
#let ink = rgb("#1b2430")
#let dim = rgb("#55606e")
#let rule = rgb("#c3ccd6")
#let panel = rgb("#f3f6f9")
#let accent = rgb("#1f5fa8")
#let warn = rgb("#8a5a00")
#let warn-panel = rgb("#fff6e0")

#let inline(parts) = for part in parts {
  if type(part) == str { text(part) } else if "link" in part {
    link(label(part.link), text(fill: accent, inline(part.children)))
  } else { strong(inline(part.children)) }
}

#let lines(cell) = cell.map(inline).join(linebreak())

#let length-of(words) = if words.ends-with("em") {
  float(words.slice(0, -2)) * 1em
} else { float(words.slice(0, -2)) * 1fr }

#let table-of(node) = {
  let row(cells, is-split) = cells.map(cell => table.cell(breakable: is-split, lines(cell)))
  let head = node.head.map(cell => table.cell(align: bottom, text(fill: dim, weight: "bold", lines(cell))))
  let body = node.rows.zip(node.splits).map(((cells, is-split)) => row(cells, is-split)).flatten()
  let foot = if node.foot == none { () } else {
    (
      table.hline(stroke: 0.9pt + ink),
      table.footer(repeat: false, ..node.foot.map(cell => strong(lines(cell)))),
    )
  }
  let last = node.numbers.len() - 1
  figure(
    kind: table,
    caption: inline(node.caption),
    table(
      columns: node.widths.map(length-of),
      align: (x, _) => if node.numbers.at(x) { right + top } else { left + top },
      inset: (x, _) => (
        left: if x > 0 and not node.numbers.at(x) and node.numbers.at(x - 1) { 6pt } else { 0pt },
        right: if x == last { 0pt } else { 6pt },
        top: 2.6pt,
        bottom: 2.8pt,
      ),
      stroke: (_, y) => (bottom: if y == 0 { 0.8pt + dim } else { 0.4pt + rule }),
      table.header(repeat: true, ..head),
      ..body,
      ..foot,
    ),
  )
}

#let set-node(node) = {
  if node.kind == "heading" {
    let made = heading(level: node.level, inline(node.children))
    if node.name == none { made } else { [#made#label(node.name)] }
  } else if node.kind == "paragraph" {
    let size = if node.class == "lead" { 11.5pt } else if node.class == "note" { 8pt } else { 9.5pt }
    let fill = if node.class == "note" or node.class == "dim" { dim } else { ink }
    par(text(size: size, fill: fill, inline(node.children)))
  } else if node.kind == "list" {
    set text(size: 8pt, fill: dim) if node.class == "note"
    let items = node.items.map(inline)
    if node.ordered { enum(..items) } else { list(..items) }
  } else if node.kind == "facts" {
    grid(
      columns: (44mm, 1fr),
      column-gutter: 4mm,
      row-gutter: 2mm,
      ..node.pairs.map(((name, value)) => (text(fill: dim, inline(name)), inline(value))).flatten()
    )
  } else if node.kind == "key" {
    grid(
      columns: (1fr,) * (if node.pairs.len() in (4, 7, 8) { 4 } else { 3 }),
      gutter: 2.5mm,
      ..node.pairs.map(((name, value)) => block(
        fill: panel,
        stroke: 0.5pt + rule,
        radius: 2pt,
        inset: 3mm,
        width: 100%,
        {
          text(size: 8pt, fill: dim, inline(name))
          linebreak()
          text(size: 12.5pt, weight: "bold", inline(value))
        },
      ))
    )
  } else if node.kind == "alert" {
    block(
      fill: warn-panel,
      stroke: (left: 2.5pt + warn),
      inset: (left: 4mm, right: 3mm, y: 2.5mm),
      width: 100%,
      node.children.map(set-node).join(),
    )
  } else if node.kind == "figure" {
    block(breakable: false, width: 100%, {
      image(bytes(node.svg), format: "svg", width: 150mm, alt: node.alt)
      par(inline(node.caption))
    })
  } else if node.kind == "table" {
    if node.whole { block(breakable: false, width: 100%, table-of(node)) } else { table-of(node) }
  } else {
    panic("no node of this kind")
  }
}

#set document(title: given.title, author: given.author, date: none)
#set text(
  lang: "en",
  region: "US",
  font: ("Libertinus Serif", "New Computer Modern", "DejaVu Sans Mono"),
  size: 9.5pt,
  fill: ink,
  number-width: "tabular",
  number-type: "lining",
)
#set par(leading: 0.62em, spacing: 0.95em)
#set page(
  paper: "a4",
  margin: (x: 18mm, top: 18mm, bottom: 22mm),
  footer: context {
    set text(size: 8pt, fill: dim)
    grid(
      columns: (1fr, auto),
      column-gutter: 5mm,
      text(given.footer),
      [Page #counter(page).display("1 of 1", both: true)],
    )
  },
)
#set table(stroke: none)
#set list(indent: 1mm, body-indent: 2mm, spacing: 0.8em)
#set figure(numbering: none, supplement: none, gap: 1.5mm)
#set figure.caption(position: top, separator: none)
#show figure: set block(breakable: true, above: 1.4em, below: 1.4em)
#show figure.caption: it => block(width: 100%, sticky: true, align(left, text(size: 8.5pt, weight: "bold", it.body)))
#show table: set text(size: 8pt)
#show table: set par(leading: 0.5em, justify: false)
#show heading.where(level: 1): it => block(above: 2em, below: 0.9em, sticky: true, {
  line(length: 100%, stroke: 0.8pt + rule)
  v(-0.3em)
  text(size: 13.5pt, it.body)
})
#show heading.where(level: 2): it => block(above: 1.5em, below: 0.8em, sticky: true, text(size: 10.5pt, it.body))
#show title: set text(size: 20pt)
#show outline.entry: set text(size: 9.5pt)

#title()
#for node in given.header { set-node(node) }
#v(1em)
#outline(title: [Contents], depth: 1)
#pagebreak()
#for node in given.main { set-node(node) }
"""
