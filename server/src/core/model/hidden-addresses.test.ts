// Addresses of which only the server is shown: how they are taken, and how those of earlier releases are sealed when they are read.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { webhooks } from '../../areas/health/config.ts'
import { providers } from '../../areas/portal/lists-second-factors.ts'
import { describeChanges } from '../config/describe.ts'
import { ConfigStore } from '../config/store.ts'
import { Database } from '../database/database.ts'
import { Vault } from '../vault.ts'
import { addressFields, shownAddress } from './hidden-addresses.ts'
import { list, single } from './slots.ts'

const whole = 'https://hooks.test:8443/in/canary-token?key=canary-key'
const shown = 'https://hooks.test:8443/***'

describe('an address', () => {
  const tools = {
    seal: (clear: string) => ({ sealed: `x${clear}` }),
    reveal: (one: { sealed: string }) => one.sealed.slice(1),
  }
  const stored = { url: shown, address: tools.seal(whole) }

  it('is shown by its server, without a user', () => {
    assert.equal(shownAddress(whole), shown)
    assert.equal(shownAddress('https://me:word@hooks.test/x'), 'https://hooks.test/***')
    assert.equal(shownAddress('https://hooks.test'), 'https://hooks.test/***')
    assert.equal(shownAddress(''), '')
  })

  it('stays when it is not sent, or sent as it is shown or stored', () => {
    for (const given of [undefined, shown, whole]) assert.deepEqual(addressFields(given, stored, 'url', tools), {})
    assert.deepEqual(addressFields('', stored, 'url', tools), { url: '', address: null })
    assert.deepEqual(addressFields('https://b.test/y', stored, 'url', tools), {
      url: 'https://b.test/***',
      address: tools.seal('https://b.test/y'),
    })
  })

  it('is not taken from what is shown of another one', () => {
    for (const before of [null, { url: 'https://b.test/***', address: tools.seal('https://b.test/y') }])
      assert.throws(() => addressFields(shown, before, 'url', tools), { code: 'invalid' })
  })
})

describe('addresses that an earlier release stored in clear', () => {
  const oldHooks = list(webhooks.key, webhooks.schema as never)
  const oldProviders = single(providers.key, providers.schema, {} as never)
  const hook = { id: 'a', enabled: true, title: 'Chat', severity: 'failed', url: whole, ca: '', secret: null }
  const provider = { enabled: true, url: whole, timeout_seconds: 10, key: null }
  const settings = { smssvc: { ...provider, text: '{code}' }, multifactor: { ...provider, url: '' } }

  it('are sealed when they are read, in rows and in the history', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-addresses-'))
    const path = join(folder, 'gateway.db')
    const vault = new Vault(join(folder, 'vault.key'))
    const earlier = new Database(path)
    new ConfigStore(earlier, [oldHooks, oldProviders]).commit({
      revisions: [
        {
          revision: 1,
          time: '',
          author: 'x',
          address: '',
          reason: '',
          changes: [
            { slot: webhooks.key, id: 'a', before: null, after: hook, from: null, to: 1 },
            { slot: providers.key, id: null, before: null, after: settings, from: null, to: null },
          ],
        },
      ],
      sequences: {},
    })
    earlier.close()
    const database = new Database(path)
    try {
      const store = new ConfigStore(database, [webhooks, providers], (clear, place) => vault.seal(clear, place))
      const { config } = store.load().snapshot
      const [sealed] = config[webhooks.key] as [{ url: string; address: { sealed: string } }]
      assert.equal(sealed.url, shown)
      assert.equal(vault.reveal(sealed.address, `${webhooks.key}/a/address`), whole)
      const { smssvc, multifactor } = config[providers.key] as typeof providers.initial
      assert.equal(smssvc.url, shown)
      assert.ok(smssvc.address)
      assert.equal(vault.reveal(smssvc.address, `${providers.key}//smssvc.address`), whole)
      assert.deepEqual([multifactor.url, multifactor.address], ['', null])
      const rows = database.prepare('SELECT body FROM items').all()
      assert.ok(!JSON.stringify(rows).includes('canary'))
      const changes = store.findRevision(1)?.changes ?? []
      assert.ok(!JSON.stringify(changes).includes('canary'))
      // Where there is no key, as in the worker that shows revisions, they are masked.
      const masked = describeChanges(new ConfigStore(database, [webhooks, providers]).findRevision(1)?.changes ?? [])
      assert.ok(!JSON.stringify(masked).includes('canary'))
      assert.ok(JSON.stringify(masked).includes('***'))
    } finally {
      database.close()
      rmSync(folder, { recursive: true })
    }
  })
})
