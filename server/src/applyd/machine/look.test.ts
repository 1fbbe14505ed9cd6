// A look at the machine passes on text. What is in it depends on the machine; what may be in it does not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines } from '../../engines/index.ts'
import { lookAt } from './look.ts'

test('in the lab nothing of the host is read but the profiles of AppArmor', async () => {
  const tables = [{ family: 'ip', name: 'filter', listing: '{}' }]
  const texts = await lookAt({ plane: 'lab', engines, devices: ['lo'], readTables: async () => tables })
  assert.deepEqual([texts.services, texts.legacy, texts.tables], ['', '', tables])
  for (const path of Object.keys(texts.files)) assert.match(path, /apparmor/)
})

test('on a host files of other managers are passed on by their paths', async () => {
  const texts = await lookAt({ plane: 'host', engines, devices: ['lo', '../x'], readTables: async () => [] })
  const paths = Object.keys(texts.files)
  for (const path of ['/etc/resolv.conf', '/etc/network/interfaces', '/sys/class/net/lo/ifindex'])
    assert.ok(paths.includes(path), path)
  assert.ok(paths.every((path) => !path.includes('..')))
})
