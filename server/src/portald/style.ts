// The one stylesheet. The colour of the administrator is used for surfaces only; text on it is black or white, whichever can
// be read better, so that no choice makes a page unreadable.

import { createHash } from 'node:crypto'

/** Relative luminance of WCAG 2. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The colour with the higher contrast. */
export const inkOn = (colour: string): string => (luminanceOf(colour) > 0.179 ? '#000000' : '#ffffff')

export interface StyleSheet {
  /** Changes with the text, so that browsers may keep it. */
  readonly path: string
  readonly text: string
}

export function styleSheet(accent: string): StyleSheet {
  const text = `:root{--accent:${accent};--on-accent:${inkOn(accent)}}\n${rules}`
  return { path: `/style-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.css`, text }
}

const rules = `:root{color-scheme:light dark;--page:#f3f4f6;--card:#ffffff;--ink:#1b1f24;--soft:#57606a;--line:#8c959f;--rule:#d8dee4;
--bad:#a40e26;--bad-card:#fff0f0;--good:#0f6b2f;--good-card:#eefbf1}
@media (prefers-color-scheme:dark){:root{--page:#0f1216;--card:#1a1f26;--ink:#e8ebef;--soft:#a3adb8;--line:#7a8490;--rule:#313842;
--bad:#ff9a9a;--bad-card:#3a1a1e;--good:#7fdc9a;--good-card:#14301d}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--page);color:var(--ink);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;overflow-wrap:break-word}
bdi{overflow-wrap:anywhere}
body::before{content:"";display:block;height:.375rem;background:var(--accent)}
header,main,footer{width:100%;max-width:30rem;margin:0 auto;padding:0 1rem}
.wide header,.wide main,.wide footer{max-width:52rem}
header{padding-top:2rem;padding-bottom:.75rem}
header p{margin:0;font-size:1.5rem;line-height:1.25;font-weight:650}
main{flex:1}
footer{padding-top:1.25rem;padding-bottom:1.75rem;color:var(--soft);font-size:.9375rem}
footer ul{list-style:none;display:flex;gap:1.25rem;margin:0;padding:0}
.card{background:var(--card);border:1px solid var(--rule);border-radius:.75rem;padding:1.25rem;margin:0 0 1rem}
h1{font-size:1.25rem;line-height:1.3;margin:0 0 .75rem}
h2{font-size:1.0625rem;line-height:1.3;margin:0 0 .75rem}
.card>:last-child,.notice>:last-child{margin-bottom:0}
p{margin:0 0 .75rem}
.soft{color:var(--soft)}
a{color:inherit;text-underline-offset:.2em}
.notice{border:1px solid;border-left-width:.375rem;border-radius:.5rem;padding:.75rem 1rem;margin:0 0 1rem}
.notice h1,.notice h2{margin-bottom:.25rem}
.bad{color:var(--bad);background:var(--bad-card)}
.good{color:var(--good);background:var(--good-card)}
.notice p{color:var(--ink)}
label{display:block;font-weight:600;margin:0 0 .25rem}
input{display:block;width:100%;font:inherit;color:inherit;background:var(--page);border:1px solid var(--line);border-radius:.5rem;
padding:.625rem .75rem;margin:0 0 1rem;min-height:2.875rem}
.hint{margin-top:-.5rem}
.code{font-size:1.25rem;letter-spacing:.2em;font-variant-numeric:tabular-nums}
button,.button{display:inline-block;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;min-height:2.875rem;
padding:.625rem 1.25rem;border-radius:.5rem;border:1px solid var(--line);background:transparent;color:inherit}
.main{background:var(--accent);color:var(--on-accent);border-color:var(--accent)}
form>.main:last-child,.stretch{width:100%}
button:hover,.button:hover{text-decoration:underline;text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
.row{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center}
.row p{flex:1 1 12rem;margin:0}
.small{min-height:2.25rem;padding:.25rem .875rem;font-size:.9375rem;white-space:nowrap}
.key{display:block;font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:1.0625rem;letter-spacing:.06em;margin:0 0 1rem}
.qr{display:block;width:100%;max-width:15rem;margin:0 auto 1rem;border-radius:.5rem}
.paper{fill:#fff}
.ink{fill:#000}
table{width:100%;border-collapse:collapse}
th,td{text-align:left;vertical-align:middle;padding:.5rem .75rem .5rem 0;border-top:1px solid var(--rule)}
thead th{border-top:0;color:var(--soft);font-size:.9375rem;font-weight:600}
tbody th{font-weight:600}
time{display:inline-block;min-width:9rem}
td:last-child,th:last-child{padding-right:0;text-align:right}
.hidden{position:absolute;padding:0;border:0;min-height:0;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:40rem){header{padding-top:1.25rem}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody,tr,th,td{display:block}
tr{border-top:1px solid var(--rule);padding:.75rem 0}
tbody tr:first-child{border-top:0;padding-top:0}
tbody tr:last-child{padding-bottom:0}
th,td{border:0;padding:.125rem 0}
td:last-child{text-align:left;padding-top:.5rem}
td[data-name]::before{content:attr(data-name) ": ";color:var(--soft)}}
@media (forced-colors:active){.main{border:2px solid}}
`
