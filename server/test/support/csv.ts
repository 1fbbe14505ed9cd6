// A reader of CSV for tests, as small as RFC 4180 allows: quotes, doubled quotes, CRLF. It fails on anything else.

import assert from 'node:assert/strict'

export function parseCsv(text: string, separator: ',' | ';' = ','): string[][] {
  const rows: string[][] = []
  let at = 0
  while (at < text.length) {
    const row: string[] = []
    for (;;) {
      let cell = ''
      if (text[at] === '"') {
        for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
          if (text[at] === '"') at++
          assert.ok(at < text.length, 'an open quote')
          cell += text[at]
        }
        at++
      } else {
        while (at < text.length && !`${separator}\r\n"`.includes(text[at] ?? '')) cell += text[at++]
      }
      row.push(cell)
      if (text[at] !== separator) break
      at++
    }
    assert.equal(text.slice(at, at + 2), '\r\n', 'a line ends with CRLF')
    at += 2
    rows.push(row)
  }
  return rows
}
