import assert from 'node:assert/strict'
import { it } from 'node:test'
import { say } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import { Database } from './database.ts'
import { Shelter } from './shelter.ts'

class FailingDisk extends Database {
  isFull = false
  attempts = 0

  override transact<T>(work: () => T): T {
    this.attempts++
    const result = super.transact(work)
    if (this.isFull) throw new GatewayError('unavailable', say`The disk is full.`)
    return result
  }
}

it('sign-ins without end on a full disk do not write all tables each time', () => {
  const disk = new FailingDisk(':memory:')
  const shelter = new Shelter(disk, ['sign_in_blocks'])
  const add = (source: string) =>
    shelter.transact(() =>
      shelter
        .prepare('INSERT OR REPLACE INTO sign_in_blocks (source, boot, until) VALUES (?, ?, ?)')
        .run(source, '', 1),
    )
  disk.isFull = true
  disk.attempts = 0
  for (let index = 0; index < 100; index++) add(`192.0.2.${index}`)
  assert.equal(disk.attempts, 1)
  disk.isFull = false
  assert.equal(shelter.tryReturn(), true)
  add('192.0.2.200')
  assert.equal(disk.prepare('SELECT count(*) AS count FROM sign_in_blocks').get()?.count, 101)
  shelter.close()
  disk.close()
})
