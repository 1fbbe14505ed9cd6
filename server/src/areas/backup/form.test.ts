// The file of a form is read as browsers and curl send it; a body that is not a form gets another error than a broken form.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GatewayError } from '../../core/contract/error.ts'
import { readFormFile } from './form.ts'

const part = (name: string, content: string, more = '; filename="a.backup"'): string =>
  `--xyz\r\nContent-Disposition: form-data; name="${name}"${more}\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n`
const form = (...parts: string[]): Buffer => Buffer.from(`${parts.join('')}--xyz--\r\n`, 'latin1')

/** As it comes over the wire: in pieces of any length. */
async function* pieces(body: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += length) yield body.subarray(at, at + length)
}

/** The file; the same however the form was cut into pieces. */
async function fileOf(body: Buffer, field = 'backup_file'): Promise<string> {
  const files: string[] = []
  for (const length of [1, 2, 7, body.length + 1]) {
    const parts: Buffer[] = []
    for await (const part of readFormFile(pieces(body, length), field)) parts.push(part)
    files.push(Buffer.concat(parts).toString('latin1'))
  }
  assert.equal(new Set(files).size, 1)
  return files[0] ?? ''
}

async function codeOf(body: Buffer, length = body.length + 1): Promise<string> {
  try {
    for await (const _ of readFormFile(pieces(body, length), 'backup_file'));
  } catch (error) {
    const { code, problems } = error as GatewayError
    return [code, ...problems.map(({ field }) => field)].join(' ')
  }
  return 'taken'
}

describe('the file of a form', () => {
  it('is given byte for byte', async () => {
    for (const content of ['', 'plain', '\r\n', '\r\n\r\n--xy', `\x00\xff${'a\r\n'.repeat(50)}`]) {
      assert.equal(await fileOf(form(part('backup_file', content))), content)
    }
  })

  it('is found whatever the spelling of the headers', async () => {
    const bare = Buffer.from('--xyz\r\ncontent-disposition:form-data;name="backup_file"\r\n\r\nx\r\n--xyz--')
    assert.equal(await fileOf(bare), 'x')
    const late = Buffer.from(
      '--x y\r\nA: b\r\nContent-Disposition: form-data; filename="n"; name="f"\r\n\r\nx\r\n--x y--',
    )
    assert.equal(await fileOf(late, 'f'), 'x')
  })

  it('is what the runtime itself sends', async () => {
    const data = new FormData()
    data.set('backup_file', new Blob(['content']), 'name "with" quotes.backup')
    const request = new Request('http://x', { method: 'POST', body: data })
    assert.equal(await fileOf(Buffer.from(await request.arrayBuffer())), 'content')
  })

  it('must appear once, under its name, alone', async () => {
    assert.equal(await codeOf(form(part('other', 'x'))), 'invalid other')
    assert.equal(await codeOf(form(part('backup_file', 'x'), part('more', 'x'))), 'invalid more')
    assert.equal(await codeOf(form(part('backup_file', 'x'), part('backup_file', 'x'))), 'invalid backup_file')
  })

  it('is asked for when something else comes', async () => {
    const boundary = 'x'.repeat(71)
    for (const body of [
      '',
      '{}',
      '"text"',
      '--',
      '--\r\n',
      '--a\n',
      '--xyz',
      `--${boundary}\r\n`,
      `x${form(part('backup_file', 'x'))}`,
    ]) {
      assert.equal(await codeOf(Buffer.from(body)), 'invalid backup_file', body.slice(0, 40))
    }
  })

  it('is refused when the form is broken', async () => {
    const whole = form(part('backup_file', 'x')).toString('latin1')
    for (const body of [
      whole.slice(0, -8),
      `${whole}x`,
      whole.replace('x\r\n--xyz--', 'x\r\n--xyz-'),
      whole.replace('\r\n\r\n', '\r\n'),
      whole.replace('name="backup_file"', 'no'),
      part('backup_file', 'x').repeat(20),
      `${part('backup_file', 'x').repeat(20)}--xyz--`,
    ]) {
      for (const length of [1, 9, body.length])
        assert.equal(await codeOf(Buffer.from(body, 'latin1'), length), 'malformed', body.slice(0, 60))
    }
  })
})
