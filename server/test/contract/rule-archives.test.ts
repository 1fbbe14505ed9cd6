// Archives of rules over the interface: what becomes of them, what is left out and named, what is refused, and what stays after a
// restart; and custom signatures that the inspection engine judges.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createSignatureFiles } from '../../src/areas/intrusion-prevention/runs/signature-files.ts'
import type { SignatureCheck } from '../../src/engines/inspection/request.ts'
import type { Sentence } from '../../src/shared/said.ts'
import { tarOf } from '../support/list-archive.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { zipOf } from '../support/zip-archive.ts'

const rule = (sid: number, options = ''): string =>
  `alert tcp any any -> $HOME_NET any (msg:"Rule ${sid}"; ${options}classtype:own-group; sid:${sid}; rev:2;)`

const rules = [
  '# A comment',
  rule(2_000_001),
  rule(2_000_002, 'lua:x.lua; '),
  `#${rule(2_000_003)}`,
  `# ${rule(2_000_004)}`,
  'nonsense',
  rule(2_000_005, 'tos:8; '),
  rule(2_000_006, 'content:"refused by the engine"; '),
].join('\n')

const openLayout = (text = rules): Buffer =>
  tarOf([
    { name: 'rules/', type: '5' },
    { name: 'rules/a.rules', content: text },
    { name: 'rules/classification.config', content: 'config classification: own-group,Own group,1\n' },
    { name: 'rules/sid-msg.map', content: '1 || x' },
    { name: 'rules/link.rules', type: '2' },
  ])

/** As the engine would: refuses what says so. */
const judge =
  (folder: string) =>
  (id: string): SignatureCheck => {
    const lines = readFileSync(join(folder, `${id}.rules`), 'utf8').split('\n')
    const faults = lines.flatMap((text, index) =>
      text.includes('refused by the engine') ? [{ line: index + 1, message: 'no such thing' }] : [],
    )
    return { status: 'checked', faults }
  }

describe('archives of rules', () => {
  let gateway: TestGateway
  let admin: Client
  let folder = ''
  let files: ReturnType<typeof createSignatureFiles>
  const open = async (begin: () => Promise<TestGateway>): Promise<void> => {
    gateway = await begin()
    folder = gateway.folder
    gateway.applier.checkCandidates = judge(join(folder, 'candidates'))
    admin = await gateway.client('predefined_admin_write')
  }
  beforeEach(async () => {
    files = createSignatureFiles({
      folder: '/nonexistent',
      packageFolders: [],
      starter: '/nonexistent/starter.rules',
      classification: '/nonexistent/classification.config',
      archives: () => gateway.signatureIntake.archives.active(),
      refused: () => gateway.signatureIntake.verdicts.texts,
    })
    await open(() => createTestGateway({ parts: { signatures: files } }))
  })
  afterEach(() => gateway.close())

  const upload = (bytes: Buffer | string, name = 'open.tar.gz'): Promise<Answer> =>
    admin('POST', `/ips/rule_archives?name=${encodeURIComponent(name)}`, bytes, {
      'content-type': 'application/octet-stream',
    })
  const list = async (): Promise<Answer['body']> => (await admin('GET', '/ips/rule_archives')).body
  const settled = async (): Promise<Answer['body']> => {
    await until('archives are checked', async () =>
      (await list()).every(({ state }: { state: string }) => state !== 'checking'),
    )
    await files.refresh()
    return list()
  }
  const sids = async (): Promise<number[]> =>
    (await admin('GET', '/ips/signatures')).body.signatures.map(({ sid }: { sid: number }) => sid)
  const left = (): string[] => {
    const place = join(folder, 'signatures', 'archives')
    return existsSync(place) ? readdirSync(place, { recursive: true }).map(String) : []
  }

  for (const [kind, bytes] of [
    ['a tar archive', openLayout()],
    ['a tar archive compressed with gzip', gzipSync(openLayout())],
    [
      'a zip archive',
      zipOf([
        { name: 'rules/a.rules', content: rules },
        {
          name: 'rules/classification.config',
          content: 'config classification: own-group,Own group,1\n',
          isStored: true,
        },
        { name: 'rules/link.rules', content: 'a.rules', isLink: true },
      ]),
    ],
  ] as const) {
    it(`${kind} is read, judged and used`, async () => {
      const { status, text, body } = await upload(bytes)
      assert.equal(status, 200, text)
      const [archive] = await settled()
      assert.deepEqual(
        { ...archive, failed: archive.failed.map(({ file, line, sid }: never) => [file, line, sid]), received_at: 0 },
        {
          id: body.id,
          name: 'open.tar.gz',
          state: 'active',
          message: '',
          received_at: 0,
          rules: 2,
          files: 1,
          disabled: 2,
          checked: true,
          failed_count: 3,
          failed: [
            ['a.rules', 3, 2_000_002],
            ['a.rules', 6, 0],
            ['a.rules', 8, 2_000_006],
          ],
          notes: archive.notes,
          sentences: archive.sentences,
        },
      )
      // Those of the thread that judges are known here only if something else in this process said the same before.
      const codes = archive.sentences.map(({ code }: Sentence) => code)
      assert.ok(codes.includes('the_inspection_engine_does_not_take_it_x'), codes.join())
      assert.match(archive.failed[0].reason, /lua is not allowed/)
      assert.match(archive.failed[2].reason, /inspection engine does not take it: no such thing\.$/)
      assert.match(archive.notes[0], /^1 rule: The option tos/)
      assert.deepEqual(await sids(), [2_000_001, 2_000_005])
      const { body: groups } = await admin('GET', '/ips/signature_groups/table')
      assert.equal(groups.signature_groups[0].classtype_name, 'Own group')
      const { body: signatures } = await admin('GET', '/ips/signatures')
      assert.equal(signatures.signatures[0].signature_source, 'advanced')
      const [, base] = (await admin('GET', '/ips/status')).body
      assert.ok(
        base.msg.some((line: string) => /3 rules of the archive open.tar.gz are left out.*a.rules, line 3/.test(line)),
      )
      const update = (await admin('GET', '/ips/update_advanced')).body
      assert.equal(update.status, 'up_to_date')
      assert.notEqual(update.last_update, null)
      assert.deepEqual(readdirSync(join(folder, 'candidates')), [])
    })
  }

  it('a plain file of rules is one too', async () => {
    assert.equal((await upload(`${rule(2_100_000)}\r\n`, 'own')).status, 200)
    assert.equal((await settled())[0].rules, 1)
    assert.deepEqual(await sids(), [2_100_000])
  })

  it('one with the same name takes the place of the one before, another is beside it', async () => {
    const { body: first } = await upload(openLayout())
    await settled()
    const { body: second } = await upload(rule(2_200_000))
    assert.equal(second.id, first.id)
    await settled()
    assert.deepEqual(await sids(), [2_200_000])
    assert.equal((await upload(rule(2_200_001), 'other')).status, 200)
    assert.equal((await settled()).length, 2)
    assert.deepEqual(await sids(), [2_200_000, 2_200_001])
    await until('the former rules are gone', () => left().filter((path) => path.endsWith('rules.rules')).length === 2)
    assert.equal((await admin('DELETE', `/ips/rule_archives/${first.id}`)).status, 200)
    assert.deepEqual(await sids(), [2_200_001])
    assert.equal((await admin('DELETE', `/ips/rule_archives/${first.id}`)).status, 404)
  })

  it('one that the engine refuses as a whole leaves the rules before in use', async () => {
    await upload(rule(2_300_000))
    await settled()
    await upload(rule(2_300_001, 'content:"refused by the engine"; '))
    const [archive] = await settled()
    assert.equal(archive.state, 'failed')
    assert.match(archive.message, /takes none of the rules/)
    assert.deepEqual(await sids(), [2_300_000])
    assert.equal((await admin('GET', '/ips/update_advanced')).body.status, 'failed_to_update')
    await until('the refused rules are gone', () => left().filter((path) => path.endsWith('rules.rules')).length === 1)
  })

  it('is used without the engine, and checked as soon as it is installed', async () => {
    gateway.applier.checkCandidates = () => ({ status: 'missing' })
    await upload(openLayout())
    const [waiting] = await settled()
    assert.deepEqual([waiting.state, waiting.checked, waiting.rules], ['active', false, 3])
    assert.match(waiting.message, /not installed/)
    gateway.applier.checkCandidates = judge(join(folder, 'candidates'))
    await gateway.signatureIntake.look([])
    const [checked] = await settled()
    assert.deepEqual([checked.state, checked.checked, checked.rules], ['active', true, 2])
    assert.deepEqual(await sids(), [2_000_001, 2_000_005])
  })

  it('goes on after a restart where it was', async () => {
    const { promise, resolve } = Promise.withResolvers<SignatureCheck>()
    gateway.applier.checkCandidates = () => promise
    await upload(openLayout())
    assert.equal((await list())[0].state, 'checking')
    assert.equal((await admin('GET', '/ips/update_advanced')).body.status, 'updating')
    assert.deepEqual(await sids(), [])
    await open(() => gateway.restart())
    assert.equal((await list())[0].state, 'checking')
    await gateway.signatureIntake.look([])
    assert.equal((await settled())[0].state, 'active')
    resolve({ status: 'checked', faults: [] })
    await open(() => gateway.restart())
    await files.refresh()
    assert.deepEqual(await sids(), [2_000_001, 2_000_005])
  })

  it('is refused while another one comes in, and when there are too many', async () => {
    async function* slowly(): AsyncGenerator<Buffer> {
      yield Buffer.from(rule(1))
      assert.equal((await upload(rule(2), 'second')).status, 409)
    }
    await gateway.signatureIntake.archives.receive('first', slowly(), () => {})
    for (let number = 1; number < 32; number++) assert.equal((await upload(rule(number), `n${number}`)).status, 200)
    assert.equal((await upload(rule(1), 'one more')).status, 409)
    assert.equal((await upload(rule(1), 'first')).status, 200)
  })

  const bomb = Buffer.alloc(300 * 1024 * 1024)
  const hostile: readonly (readonly [title: string, bytes: () => Buffer | string, reason: RegExp])[] = [
    ['nothing of use', () => 'hello\n', /no rule that can be used.*line 1/],
    ['comments only', () => '# hello\n', /no file in it has a rule/],
    ['an archive without rules', () => tarOf([{ name: 'a.txt', content: 'x' }]), /no file in it has a rule/],
    ['a bomb of gzip', () => gzipSync(tarOf([{ name: 'a.rules', content: bomb }])), /too large when unpacked/],
    ['a bomb of zip', () => zipOf([{ name: 'a.rules', content: bomb }]), /too large when unpacked/],
    ['a path out of a tar archive', () => tarOf([{ name: '../a.rules', content: rules }]), /outside the archive/],
    ['an absolute path', () => tarOf([{ name: '/etc/a.rules', content: rules }]), /outside the archive/],
    ['a path out of a zip archive', () => zipOf([{ name: 'x/../../a.rules', content: rules }]), /outside the archive/],
    ['a path of another system', () => zipOf([{ name: '..\\a.rules', content: rules }]), /outside the archive/],
    [
      'links only',
      () =>
        tarOf([
          { name: 'a.rules', type: '2' },
          { name: 'b.rules', type: '1' },
        ]),
      /no file in it/,
    ],
    ['links in a zip archive', () => zipOf([{ name: 'a.rules', content: rules, isLink: true }]), /no file in it/],
    ['a device', () => tarOf([{ name: 'a.rules', type: '3' }]), /other than files/],
    ['a huge line', () => `alert ${'x'.repeat(9_000_000)}`, /more than 8192 characters/],
    ['huge rules over many lines', () => `alert \\\n${'x \\\n'.repeat(50_000)})`, /more than 8192|missing/],
    ['NUL bytes', () => Buffer.concat([Buffer.from(rule(1)), Buffer.alloc(4)]), /NUL character/],
    ['text that is not UTF-8', () => Buffer.from([0x61, 0xff, 0xfe, 0x0a]), /not UTF-8/],
    ['a truncated gzip', () => gzipSync(openLayout()).subarray(0, 200), /damaged or incomplete/],
    ['a truncated tar', () => openLayout().subarray(0, 1_500), /incomplete/],
    ['a truncated zip', () => zipOf([{ name: 'a.rules', content: rules }]).subarray(0, -10), /incomplete/],
    ['a wrong checksum', () => zipOf([{ name: 'a.rules', content: rules, checksum: 1 }]), /checksum/],
    ['an encrypted file', () => zipOf([{ name: 'a.rules', content: rules, isEncrypted: true }]), /encrypted/],
    ['too many files', () => tarOf(Array.from({ length: 10_001 }, () => ({ name: 'a.rules' }))), /too many files/],
    [
      'too many files in a zip archive',
      () => zipOf(Array.from({ length: 10_001 }, () => ({ name: 'a.txt', isStored: true }))),
      /too many files/,
    ],
    ['too many lines', () => '\n'.repeat(2_000_001), /too many lines/],
    ['too many rules of no use', () => 'x\n'.repeat(100_001), /more than 100,000 rules that cannot be used/],
  ]
  it('is refused with a clear reason when it is hostile, and nothing is left of it', async () => {
    for (const [title, bytes, reason] of hostile) {
      const { status, body, text } = await upload(bytes())
      assert.equal(status, 422, `${title}: ${text}`)
      assert.deepEqual(body.problems[0].field, 'body', title)
      assert.match(body.problems[0].message, reason, title)
      assert.deepEqual(left(), [], title)
      assert.deepEqual(await list(), [], title)
    }
    assert.equal((await upload('')).status >= 400, true)
    assert.equal((await upload(rule(1), '')).status, 422)
    assert.equal((await upload(rule(1), 'a\nb')).status, 422)
    assert.deepEqual(left(), [])
  })

  it('that is too large is refused while it comes in', async () => {
    assert.equal((await upload(Buffer.alloc(64 * 1024 * 1024 + 1, 0x23))).status, 413)
    assert.deepEqual(left(), [])
  })

  it('one bad line among good ones is left out alone', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${rule(1)}\n`),
      Buffer.from([0xff, 0x0a, 0x00, 0x0a]),
      Buffer.from(`${'x'.repeat(10_000)}\n${rule(1).replace('rev:2', 'rev:3')}\n${rule(2, 'gid:9; ')}\nalert \\\n`),
    ])
    assert.equal((await upload(bytes)).status, 200)
    const [archive] = await settled()
    assert.deepEqual([archive.rules, archive.failed_count], [1, 6])
    assert.deepEqual(
      archive.failed.map(({ line }: { line: number }) => line),
      [2, 3, 4, 1, 6, 7],
    )
    assert.match((await admin('GET', '/ips/signatures/1')).body.signature, /rev:3/)
  })

  it('shows how far a check is, and all rules that were left out, in pages and as a file', async () => {
    const count = 4_321
    const gate = Promise.withResolvers<void>()
    let asked = 0
    const judged = judge(join(folder, 'candidates'))
    gateway.applier.checkCandidates = async (id) => {
      // The first piece is judged at once, and once more without what was refused; the second waits.
      if (++asked > 2) await gate.promise
      return judged(id)
    }
    const text = Array.from({ length: count }, (_, index) =>
      rule(index + 1, index % 3 === 0 ? 'content:"refused by the engine"; ' : ''),
    ).join('\n')
    const { body } = await upload(text)
    const checks = async () => (await admin('GET', '/ips/signature_checks')).body
    await until('the second piece is checked', async () => (await checks())[0]?.done > 0)
    const [check] = await checks()
    assert.deepEqual(
      [check.kind, check.archive_id, check.name, check.total, check.done < count],
      ['archive', body.id, 'open.tar.gz', count, true],
    )
    gate.resolve()
    const [archive] = await settled()
    assert.deepEqual(await checks(), [])
    const refused = Math.ceil(count / 3)
    assert.deepEqual([archive.rules, archive.failed_count, archive.failed.length], [count - refused, refused, 100])
    const seen: number[] = []
    const path = `/ips/rule_archives/${body.id}/refusals`
    for (let offset = 0; offset < refused; offset += 1_000) {
      const page = await admin('GET', `${path}?offset=${offset}&limit=1000`)
      assert.equal(page.body.total, refused, page.text)
      seen.push(...page.body.refusals.map(({ sid }: { sid: number }) => sid))
    }
    const all = Array.from({ length: refused }, (_, index) => 3 * index + 1)
    assert.deepEqual(seen, all)
    const csv = (await admin('GET', `${path}?format_type=CSV`)).text.trimEnd().split('\r\n')
    assert.equal(csv[0], 'file,line,sid,reason')
    assert.deepEqual(
      csv.slice(1).map((line) => Number(line.split(',')[2])),
      all,
    )
    assert.equal((await admin('GET', `${path}?limit=1001`)).status, 422)
    assert.equal((await admin('GET', '/ips/rule_archives/none/refusals')).status, 404)
  })

  it('that the engine takes nothing of fails, and its rules can still be read', async () => {
    const { body } = await upload(rule(1, 'content:"refused by the engine"; '))
    const [archive] = await settled()
    assert.deepEqual([archive.state, archive.rules, archive.failed_count], ['failed', 0, 1])
    assert.match(archive.message, /takes none of the rules/)
    const path = `/ips/rule_archives/${body.id}/refusals`
    assert.equal((await admin('GET', path)).body.refusals[0].sid, 1)
    await open(() => gateway.restart())
    assert.equal((await admin('GET', path)).body.refusals[0].sid, 1)
    assert.equal((await list())[0].failed_count, 1)
  })

  describe('custom signatures', () => {
    const own = 'alert tcp any any -> any 4444 (msg:"Own"; sid:100;)'
    const bad = own.replace('msg:"Own"', 'msg:"refused by the engine"')
    const problems = (answer: Answer): unknown => {
      assert.equal(answer.status, 422, answer.text)
      return answer.body.problems.map(({ field, message }: Record<string, string>) => [field, message])
    }
    const failed = (error: unknown): void => assert.fail(String(error))
    const said = 'The inspection engine does not take it: no such thing.'

    it('are refused with the reason of the engine, everywhere', async () => {
      assert.deepEqual(problems(await admin('POST', '/ips/custom', { comment: '', rule: bad })), [['rule', said]])
      assert.deepEqual(problems(await admin('POST', '/ips/custom?dry_run=true', { comment: '', rule: bad })), [
        ['rule', said],
      ])
      assert.equal((await admin('POST', '/ips/custom', { comment: '', rule: own })).status, 200)
      assert.deepEqual(problems(await admin('PATCH', '/ips/custom/100', { rule: bad })), [['rule', said]])
      assert.equal((await admin('PATCH', '/ips/custom/100', { comment: 'x' })).status, 200)
      const file = `${own.replace('100', '1')}\n\n${bad.replace('100', '2')}\n`
      assert.deepEqual(problems(await admin('POST', '/ips/custom_rules_file', file)), [['line 3', said]])
      const calls = [own.replace('100', '7'), bad.replace('100', '8')].map((text) => ({
        method: 'POST',
        path: '/ips/custom',
        body: { comment: '', rule: text },
      }))
      const several = await admin('POST', '/config/changes', { calls })
      assert.deepEqual(problems(several), [['calls[1].body.rule', said]])
      const good = await admin('POST', '/config/changes', { calls: calls.slice(0, 1) })
      assert.equal(good.status, 200, good.text)
      assert.deepEqual(await sids(), [7, 100])
    })

    it('that would weaken the gateway never reach the engine', async () => {
      let asked = 0
      gateway.applier.checkCandidates = () => {
        asked++
        return { status: 'checked', faults: [] }
      }
      const weak = own.replace('sid:', 'bypass; sid:')
      const [first] = problems(await admin('POST', '/ips/custom', { comment: '', rule: weak })) as string[][]
      const [field, message] = first ?? []
      assert.equal(field, 'rule')
      assert.match(message ?? '', /bypass is not allowed/)
      assert.deepEqual(
        (problems(await admin('POST', '/ips/custom_rules_file', `#\n${weak}`)) as string[][])[0]?.[0],
        'line 2',
      )
      assert.equal(asked, 0)
    })

    it('are stored without the engine, and left out and named once it refuses them', async () => {
      gateway.applier.checkCandidates = () => ({ status: 'missing' })
      assert.equal((await admin('POST', '/ips/custom', { comment: '', rule: bad })).status, 200)
      assert.deepEqual(await sids(), [100])
      const { followSignatures } = await import('../../src/areas/intrusion-prevention/jobs.ts')
      const look = followSignatures(gateway.services, failed)
      await look()
      const messages = async (): Promise<string[]> => (await admin('GET', '/ips/status')).body[1].msg
      assert.ok((await messages()).some((line) => /not installed/.test(line)))
      gateway.applier.checkCandidates = judge(join(folder, 'candidates'))
      await look()
      await files.refresh()
      assert.deepEqual(await sids(), [])
      assert.deepEqual(
        (await messages()).filter((line) => /100|not installed/.test(line)),
        [`Signature 100 is left out: ${said}`],
      )
      assert.equal((await admin('GET', '/ips/custom')).body.signatures.length, 1)
      // A verdict is kept: the engine is not asked the same again.
      gateway.applier.checkCandidates = () => assert.fail('asked again')
      await open(() => gateway.restart())
      gateway.applier.checkCandidates = () => assert.fail('asked again')
      await followSignatures(gateway.services, failed)()
      await files.refresh()
      assert.deepEqual(await sids(), [])
    })

    it('wait for each other, a few at most', async () => {
      const gate = Promise.withResolvers<SignatureCheck>()
      gateway.applier.checkCandidates = () => gate.promise
      const asked = Array.from({ length: 12 }, (_, index) =>
        admin('POST', '/ips/custom', { comment: '', rule: own.replace('100', String(index + 1)) }),
      )
      const early = await Promise.race(asked)
      assert.equal(early.status, 429, early.text)
      gate.resolve({ status: 'checked', faults: [] })
      const statuses = (await Promise.all(asked)).map(({ status }) => status).sort()
      // Two are checked at once.
      assert.deepEqual(statuses, [...Array(10).fill(200), ...Array(2).fill(429)])
    })
  })
})
