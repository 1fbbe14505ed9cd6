import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { webLine } from '../../../../test/support/web-lines.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import { FileFollower } from './file-follower.ts'
import { webAccessFile } from './web-requests.ts'

it('the access log is read once each line, over restarts, cuts and emptied files, and broken lines are counted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-web-'))
  const path = join(folder, 'web-access.log')
  const records: NewRecord[] = []
  const marks = new Map<string, string>()
  const person = { login: 'ada', name: 'Ada L.', group: 'Office' }
  const open = (): FileFollower =>
    new FileFollower(webAccessFile({ path, knowledge: { personAt: () => person }, now: () => 5 }), {
      append: (added, mark) => {
        records.push(...added)
        if (mark) marks.set(mark.source, mark.position)
      },
      marks: () => marks,
    })
  const look = (follower: FileFollower): void => {
    while (follower.step());
  }
  const line = (at: number): string => webLine({ t: at, u: `http://site.test/${at}`, user: at === 2 ? 'bob' : 'ada' })
  appendFileSync(path, line(1) + line(2).slice(0, 50))
  look(open())
  appendFileSync(path, `${line(2).slice(50)}not a line\n{"t":1\n${line(3)}`)
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
  appendFileSync(path, line(4))
  look(open())
  look(open())
  const web = records.filter(({ kind }) => kind === 'web')
  assert.deepEqual(
    web.map(({ fields }) => [fields.url, fields.user_login, fields.user_name, fields.group]),
    [
      ['http://site.test/1', 'ada', 'Ada L.', 'Office'],
      // Another user is at the address by now.
      ['http://site.test/2', 'bob', '', ''],
      ['http://site.test/3', 'ada', 'Ada L.', 'Office'],
      ['http://site.test/4', 'ada', 'Ada L.', 'Office'],
    ],
  )
  assert.deepEqual(
    records.filter(({ kind }) => kind === 'brief').map(({ message }) => message),
    ['2 lines of the access log of the web proxy could not be read.'],
  )
  rmSync(folder, { recursive: true })
})
