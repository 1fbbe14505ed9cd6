// The mail endpoints over the whole service: settings, disk, DKIM, filtering, rules and the queue; what is refused, how it is
// named, and that nothing is said to run.

import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { filterLicence, filterLicencePlace, signingKey, signingKeyPlace } from '../../src/areas/mail/config.ts'
import { read } from '../../src/core/model/slots.ts'
import { replaceServices } from '../support/provided.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const statePath = '/mail/settings/general/state'
const generalPath = '/mail/settings/general'
const accessPath = '/mail/settings/general/server_access'
const diskPath = '/mail/settings/general/ext_hdd'
const advancedPath = '/mail/settings/advanced/general'
const securityPath = '/mail/settings/advanced/security/state'
const networkPath = '/mail/settings/advanced/security/network'
const dkimPath = '/mail/settings/advanced/dkim'
const aliasPath = '/mail/rules/alias'
const licencePath = '/mail/klms/license'

const noDomains = { mail_domain: null, mail_hostname: null, mail_additional_domains: [], mail_relay_domains: [] }

describe('mail', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const shown = async (path: string) => {
    const answer = await admin('GET', path)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await admin(method, path, body)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text, '')
  }
  const fieldsOf = (answer: Answer): string[] => {
    assert.equal(answer.status, 422, answer.text)
    return answer.body.problems.map((problem: { field: string }) => problem.field)
  }
  const refused = async (method: string, path: string, body: unknown, fields: readonly string[]) =>
    assert.deepEqual(fieldsOf(await admin(method, path, body)), fields, JSON.stringify(body))

  describe('settings', () => {
    beforeEach(() => done('PATCH', generalPath, noDomains))

    it('start switched off, with no trusted network', async () => {
      assert.deepEqual(await shown(statePath), { enabled: false })
      assert.deepEqual(await shown(generalPath), noDomains)
      assert.deepEqual(await shown(accessPath), { imap_enabled: false, pop3_enabled: false, webmail_enabled: false })
      assert.deepEqual(await shown(networkPath), { postfix_mynetworks: [] })
      assert.deepEqual(await shown(securityPath), {
        smtpd_sasl_enabled: false,
        smtpd_tls_only_auth: true,
        dnsbl_enabled: false,
        greylisting_enabled: false,
        secure_encryption: true,
      })
    })

    it('of domains are shown as they were sent, and null clears', async () => {
      const whole = {
        mail_domain: 'Example.com',
        mail_hostname: 'mail.example.com',
        mail_additional_domains: ['example.org', 'example.net'],
        mail_relay_domains: ['branch.example|mail.office.example', 'far.example|192.168.0.25'],
      }
      await done('PATCH', generalPath, whole)
      assert.deepEqual(await shown(generalPath), whole)
      await done('PATCH', generalPath, { mail_domain: null, mail_additional_domains: [] })
      assert.deepEqual(await shown(generalPath), { ...whole, mail_domain: null, mail_additional_domains: [] })
    })

    it('take only names that are domains', async () => {
      for (const name of ['', 'пример.example', 'a b', '-a.example', 'a..example', 'example.com.', '10.0.0.1', 'a\n']) {
        await refused('PATCH', generalPath, { mail_domain: name }, ['mail_domain'])
        await refused('PATCH', generalPath, { mail_hostname: name }, ['mail_hostname'])
        await refused('PATCH', generalPath, { mail_additional_domains: ['a.example', name] }, [
          'mail_additional_domains[1]',
        ])
      }
      for (const pair of [
        '',
        'a.example',
        'a.example|',
        '|a.example',
        'a.example|b|c',
        'a.example|127.0.0.1',
        'a.example|localhost',
      ])
        await refused('PATCH', generalPath, { mail_relay_domains: [pair] }, ['mail_relay_domains[0]'])
    })

    it('give every domain one purpose', async () => {
      await done('PATCH', generalPath, { mail_domain: 'one.example', mail_hostname: 'mx.one.example' })
      await refused('PATCH', generalPath, { mail_relay_domains: ['ONE.example|10.0.0.1'] }, ['mail_relay_domains[0]'])
      await refused('PATCH', generalPath, { mail_additional_domains: ['two.example', 'one.example'] }, [
        'mail_additional_domains[1]',
      ])
      await refused('PATCH', generalPath, { mail_relay_domains: ['mx.one.example|10.0.0.1'] }, ['mail_hostname'])
      await refused('PATCH', generalPath, { mail_relay_domains: ['b.example|10.0.0.1', 'B.example|10.0.0.2'] }, [
        'mail_relay_domains[1]',
      ])
      await done('PATCH', generalPath, { mail_relay_domains: ['b.example|10.0.0.1'] })
      await refused('PATCH', generalPath, { mail_domain: 'b.example' }, ['mail_relay_domains[0]'])
      assert.equal((await shown(generalPath)).mail_domain, 'one.example')
    })

    it('of access and security change one by one', async () => {
      await done('PATCH', accessPath, { imap_enabled: true })
      await done('PATCH', accessPath, { webmail_enabled: true })
      assert.deepEqual(await shown(accessPath), { imap_enabled: true, pop3_enabled: false, webmail_enabled: true })
      await done('PATCH', securityPath, { dnsbl_enabled: true, secure_encryption: false })
      assert.deepEqual(await shown(securityPath), {
        smtpd_sasl_enabled: false,
        smtpd_tls_only_auth: true,
        dnsbl_enabled: true,
        greylisting_enabled: false,
        secure_encryption: false,
      })
    })

    it('of the advanced kind are replaced as a whole', async () => {
      const whole = {
        mail_relay: 'smtp.example.com:587',
        sender_bcc: 'out@example.com',
        recipient_bcc: null,
        max_mailbox_size: 100_000_000_000,
        max_message_size: 150_000_000,
        autoexpunge_days: 60,
      }
      await done('PUT', advancedPath, { ...whole, mail_relay: 'smtp.example.com:65535' })
      await done('PUT', advancedPath, whole)
      assert.deepEqual(await shown(advancedPath), whole)
      for (const mail_relay of [
        '',
        'localhost',
        'LocalHost:25',
        '127.0.0.1',
        '0177.0.0.1',
        '2130706433',
        'a:0',
        'a:65536',
        '[a]',
      ])
        await refused('PUT', advancedPath, { ...whole, mail_relay }, ['mail_relay'])
      for (const address of ['', 'anna', '@example.com', 'anna@', '|sh@example.com', '/etc/x@example.com', 'a"@b.c'])
        await refused('PUT', advancedPath, { ...whole, sender_bcc: address, recipient_bcc: address }, [
          'sender_bcc',
          'recipient_bcc',
        ])
      for (const [field, value] of [
        ['max_mailbox_size', 999_999],
        ['max_mailbox_size', 100_000_000_001],
        ['max_message_size', 999_999],
        ['max_message_size', 150_000_001],
        ['autoexpunge_days', -1],
        ['autoexpunge_days', 61],
      ] as const)
        await refused('PUT', advancedPath, { ...whole, [field]: value }, [field])
      const { mail_relay: _, ...rest } = whole
      await refused('PUT', advancedPath, rest, ['mail_relay'])
      const least = {
        mail_relay: '192.0.2.25',
        sender_bcc: null,
        recipient_bcc: 'in@example.com',
        max_mailbox_size: 1_000_000,
        max_message_size: 1_000_000,
        autoexpunge_days: 0,
      }
      await done('PUT', advancedPath, least)
      assert.deepEqual(await shown(advancedPath), least)
    })

    it('never trust unauthenticated senders', async () => {
      const postfix_mynetworks = ['192.168.0.0/16', '10.0.0.5/255.255.255.255', '10.0.0.0/8']
      await done('PUT', networkPath, { postfix_mynetworks })
      assert.deepEqual(await shown(networkPath), { postfix_mynetworks })
      for (const wrong of [
        '',
        '10.0.0.0',
        '10.0.0.0/33',
        '10.0.0.0/255.0.255.0',
        '0.0.0.0/0',
        '128.0.0.0/1',
        'a/8',
        '::/0',
      ])
        await refused('PUT', networkPath, { postfix_mynetworks: ['10.0.0.0/8', wrong] }, ['postfix_mynetworks[1]'])
      await refused('PUT', networkPath, { postfix_mynetworks: [null] }, ['postfix_mynetworks[0]'])
      assert.deepEqual(await shown(networkPath), { postfix_mynetworks })
      await done('PUT', networkPath, { postfix_mynetworks: [] })
      assert.deepEqual(await shown(networkPath), { postfix_mynetworks: [] })
      await done('PUT', networkPath, { postfix_mynetworks })
    })
  })

  it('says that nothing runs, and what the settings lack', async () => {
    await done('PATCH', generalPath, noDomains)
    await done('PATCH', statePath, { enabled: true })
    const messages = async () => {
      const items = await shown('/mail/settings/general/status')
      for (const { status } of items) assert.equal(status, 'inactive')
      return items.find(({ name }: { name: string }) => name === 'portcullis-mail-backend').msg
    }
    const engine = 'Stored; the mail engine is not part of this release yet, so nothing is applied.'
    assert.deepEqual(await messages(), [
      engine,
      'The main mail domain is not set.',
      'The host name of the mail server is not set.',
    ])
    await done('PATCH', generalPath, { mail_hostname: 'mx.example', mail_relay_domains: ['a.example|10.0.0.1'] })
    assert.deepEqual(await messages(), [engine])
    await done('PATCH', securityPath, { smtpd_sasl_enabled: true })
    assert.equal((await messages()).length, 2)
    await done('PATCH', statePath, { enabled: false })
    assert.deepEqual(await messages(), ['The mail server is switched off.'])
  })

  describe('disk', () => {
    const nothing = {
      disk_id: null,
      title: null,
      status: 'disconnected',
      fs_uuid: null,
      free_size: null,
      total_size: null,
      error: null,
    }
    const one = { id: 'naa.1', title: 'Disk, sdb, 1.0 GB', bytes: 1_000_000_000 }
    const two = { ...one, id: 'naa.2' }
    const withDisks = (disks: readonly object[]) =>
      replaceServices(gateway.services, { disks: { list: async () => disks } })

    it('is listed only if it exists', async () => {
      replaceServices(gateway.services, { disks: undefined })
      assert.deepEqual(await shown(`${diskPath}/list`), [])
      assert.deepEqual(await shown(diskPath), nothing)
      withDisks([one])
      assert.deepEqual(await shown(`${diskPath}/list`), [{ id: one.id, title: one.title }])
    })

    it('is connected only while the mail server is on, one at a time', async () => {
      withDisks([one, two])
      await done('PATCH', statePath, { enabled: false })
      assert.equal((await admin('POST', diskPath, { id: one.id })).status, 409)
      await done('PATCH', statePath, { enabled: true })
      await refused('POST', diskPath, { id: 'naa.3' }, ['id'])
      await done('POST', diskPath, { id: one.id })
      await done('POST', diskPath, { id: one.id })
      assert.equal((await admin('POST', diskPath, { id: two.id })).status, 409)
    })

    it('is never said to work', async () => {
      const state = await shown(diskPath)
      assert.deepEqual(state, {
        ...nothing,
        disk_id: one.id,
        title: one.title,
        status: 'error',
        total_size: one.bytes,
        error: 'Stored; the mail engine is not part of this release yet, so the disk is not mounted.',
      })
      withDisks([])
      const gone = await shown(diskPath)
      assert.equal(gone.total_size, null)
      assert.equal(gone.error, 'The disk is missing or in use by something else.')
      await done('DELETE', diskPath)
      assert.deepEqual(await shown(diskPath), nothing)
      await done('DELETE', diskPath)
    })
  })

  describe('DKIM', () => {
    const setDomains = (mail_domain: string | null, mail_additional_domains: readonly string[]) =>
      done('PATCH', generalPath, { ...noDomains, mail_domain, mail_additional_domains })

    it('is switched by replacing its state', async () => {
      assert.deepEqual(await shown(`${dkimPath}/state`), { opendkim_enabled: false })
      await done('PUT', `${dkimPath}/state`, { opendkim_enabled: true })
      assert.deepEqual(await shown(`${dkimPath}/state`), { opendkim_enabled: true })
      await refused('PUT', `${dkimPath}/state`, {}, ['opendkim_enabled'])
    })

    it('has a real key, the same one for every own domain', async () => {
      await setDomains(null, [])
      assert.deepEqual(await shown(dkimPath), [])
      await setDomains('one.example', ['two.example'])
      const keys = await shown(dkimPath)
      assert.deepEqual(
        keys.map(({ domain, selector }: { domain: string; selector: string }) => [domain, selector]),
        [
          ['one.example', 'ics._domainkey.one.example.'],
          ['two.example', 'ics._domainkey.two.example.'],
        ],
      )
      const parts = [...keys[0].public_key.matchAll(/"([^"]{1,255})"(?: |$)/g)].map(([, part]) => part)
      assert.equal(parts.length, 2)
      const [, base64 = ''] = parts.join('').split('p=')
      const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
      assert.equal(key.asymmetricKeyDetails?.modulusLength, 2048)
      await setDomains('three.example', [])
      assert.equal((await shown(dkimPath))[0].public_key, keys[0].public_key)
    })

    it('keeps the private key sealed, and it is the one of the public key', async () => {
      const { key } = read(gateway.engine.config, signingKey)
      assert.ok(key)
      const pem = gateway.vault.reveal(key.private_key, signingKeyPlace)
      const publicKey = createPublicKey(pem).export({ type: 'spki', format: 'der' })
      assert.equal(publicKey.toString('base64'), key.public_key)
      assert.ok(!JSON.stringify(await shown(dkimPath)).includes('PRIVATE'))
    })

    it('reports what DNS shows', async () => {
      await setDomains('one.example', [])
      const { key } = read(gateway.engine.config, signingKey)
      const right = `v=DKIM1; k=rsa; p=${key?.public_key}`
      const asked: string[] = []
      for (const [records, expected] of [
        [null, 'error'],
        [[], 'missing'],
        [['v=DKIM1; p=AAAA'], 'mismatch'],
        [['other'], 'mismatch'],
        [['other', right], 'set'],
        [[right.replace('p=', 'p= ')], 'set'],
        [[`${right}AA`], 'mismatch'],
      ] as const) {
        const lookUp = async (name: string) => {
          asked.push(name)
          return records
        }
        replaceServices(gateway.services, { textRecords: { lookUp } })
        assert.equal((await shown(dkimPath))[0].dkim_domain_status, expected, String(records))
      }
      assert.deepEqual([...new Set(asked)], ['ics._domainkey.one.example.'])
      replaceServices(gateway.services, { textRecords: undefined })
      assert.equal((await shown(dkimPath))[0].dkim_domain_status, 'error')
    })
  })

  it('takes the licence of the filter only while the filter is on, and claims nothing of it', async () => {
    const upload = (bytes: Buffer) => admin('POST', licencePath, bytes, { 'content-type': 'application/octet-stream' })
    const bytes = Buffer.from([0, 1, 2, 254, 255])
    assert.deepEqual(await shown('/mail/klms/state'), { enabled: false })
    assert.equal((await upload(bytes)).status, 409)
    await done('PATCH', '/mail/klms/state', { enabled: true })
    assert.deepEqual(await shown('/mail/klms/state'), { enabled: true })
    assert.equal((await upload(bytes)).status, 200)
    const { file } = read(gateway.engine.config, filterLicence)
    assert.ok(file)
    assert.equal(gateway.vault.reveal(file, filterLicencePlace), bytes.toString('base64'))
    assert.deepEqual(fieldsOf(await upload(Buffer.alloc(32 * 1024 + 1))), ['body'])
    assert.equal((await upload(Buffer.alloc(0))).status, 400)
    assert.deepEqual(await shown(licencePath), { is_active: null, expiration_date: null })
    assert.deepEqual(await shown('/mail/klms/last_update'), { last_update: 0 })
  })

  it('has an empty queue, and skips messages that are not in it', async () => {
    assert.deepEqual(await shown('/mail/mail_queue'), [])
    await done('POST', '/mail/mail_queue_retry', { ids: ['4Zx1', '4Zx2'] })
    await done('POST', '/mail/mail_queue_retry', { ids: [] })
    await refused('POST', '/mail/mail_queue_retry', { ids: ['a', ''] }, ['ids[1]'])
    await refused('POST', '/mail/mail_queue_retry', {}, ['ids'])
    await done('DELETE', '/mail/mail_queue/4Zx1')
    await done('DELETE', '/mail/mail_queue/4Zx1,4Zx2')
  })

  const add = async (path: string, body: unknown): Promise<string> => {
    const answer = await admin('POST', path, body)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(Object.keys(answer.body), ['id'])
    return answer.body.id
  }

  it('keeps forwarding rules in order', async () => {
    const bodies = [
      { recipient: 'sales', map: ['anna@example.com', 'boris'] },
      { recipient: 'info@example.com', map: [] },
      { recipient: "o'neil.x+y@example.com", map: ['info@example.com'] },
    ]
    const ids: string[] = []
    for (const body of bodies) ids.push(await add(aliasPath, body))
    const items = bodies.map((body, index) => ({ id: ids[index] ?? '', ...body }))
    assert.deepEqual(await shown(aliasPath), items)
    await done('PATCH', `${aliasPath}/${ids[1]}`, { map: ['sales'] })
    await done('PATCH', `${aliasPath}/${ids[0]}`, { recipient: 'shop' })
    assert.deepEqual(await shown(aliasPath), [
      { ...items[0], recipient: 'shop' },
      { ...items[1], map: ['sales'] },
      items[2],
    ])
    await done('DELETE', `${aliasPath}/${ids[0]}`)
    for (const [method, body] of [['DELETE'], ['PATCH', { map: [] }]] as const)
      assert.equal((await admin(method, `${aliasPath}/${ids[0]}`, body)).status, 404)
    assert.ok(!ids.includes(await add(aliasPath, bodies[0])))
    const hostile = [
      '',
      'a b',
      '|/bin/sh',
      '/var/mail/x',
      ':include:/etc/passwd',
      'a,b',
      'a@b@c.d',
      '-x',
      'a\n',
      '"a"@b.c',
    ]
    for (const wrong of [...hostile, 'x'.repeat(256)]) {
      await refused('POST', aliasPath, { recipient: wrong, map: [] }, ['recipient'])
      await refused('POST', aliasPath, { recipient: 'a', map: ['b', wrong] }, ['map[1]'])
    }
  })

  for (const path of ['/mail/rules/whitelist', '/mail/rules/blacklist']) {
    it(`keeps ${path} in order, with the type that follows from the address`, async () => {
      const ids: string[] = []
      const rows = [
        ['example.com', 1],
        ['192.0.2.7', 2],
        ['anna@example.com', 3],
        ['example', 1],
        ['7.mail4', 1],
      ] as const
      // A type that is sent is not looked at.
      for (const [address] of rows) ids.push(await add(path, { address, comment: `to ${address}`, type: 9 }))
      const items = rows.map(([address, type], index) => ({ id: ids[index], address, comment: `to ${address}`, type }))
      assert.deepEqual(await shown(path), items)
      await done('PATCH', `${path}/${ids[0]}`, { address: '198.51.100.1' })
      await done('PATCH', `${path}/${ids[1]}`, { comment: '', type: 3 })
      await done('DELETE', `${path}/${ids[2]}`)
      assert.deepEqual(await shown(path), [
        { ...items[0], address: '198.51.100.1', type: 2 },
        { ...items[1], comment: '' },
        ...items.slice(3),
      ])
      for (const [method, body] of [['DELETE'], ['PATCH', { comment: '' }]] as const)
        assert.equal((await admin(method, `${path}/${ids[2]}`, body)).status, 404)
      for (const address of ['', 'a b', '*.example.com', '10.0.0.0/8', '256.1.1.1', 'a@10.0.0.1', 'x'.repeat(256)])
        await refused('POST', path, { address, comment: '' }, ['address'])
      await refused('POST', path, { address: 'a.example', comment: 'x'.repeat(256) }, ['comment'])
      await refused('POST', path, { address: '', comment: 'a\n' }, ['address', 'comment'])
    })
  }

  it('is the same after a restart', async () => {
    const paths = [
      statePath,
      generalPath,
      accessPath,
      advancedPath,
      securityPath,
      networkPath,
      dkimPath,
      `${dkimPath}/state`,
      '/mail/klms/state',
      aliasPath,
      '/mail/rules/whitelist',
      '/mail/rules/blacklist',
    ]
    const all = () => Promise.all(paths.map(shown))
    const before = await all()
    assert.ok(before.slice(-3).every((items) => items.length > 1))
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await all(), before)
  })
})
