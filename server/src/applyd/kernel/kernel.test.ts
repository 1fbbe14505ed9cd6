// Both ways of talking to the kernel, in a namespace: they accept, refuse, name and count the same.
// Own process: it sets the time zone.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { createLog } from '../../engines/kit/text.ts'
import type { Counts } from '../../shared/netlink.ts'
import { addCounts, listChains } from '../nft-listing.ts'
import { changeOf, composeScript, type ScriptLine } from '../nft-script.ts'
import type { TableTargets } from '../pieces.ts'
import { Bench, bothWays, chain, forwardHead, piecesOf, set } from '../stand-ins/harness.ts'
import { createKernel } from './kernel.ts'
import { createLibraryKernel } from './library.ts'
import type { NftKernel } from './nft-kernel.ts'

/** Not the zone of any rule. */
process.env.TZ = 'Asia/Tokyo'
const well = { problems: [], unchecked: null }
const name = 'inet portcullis'
const table = (...pieces: ReturnType<typeof piecesOf>): TableTargets => new Map([[name, pieces]])
const lines = (text: string): ScriptLine[] =>
  text.split('\n').map((line, at) => ({ text: line, field: `line ${at + 1}` }))

for (const way of bothWays) {
  describe(`the nft ${way}`, () => {
    const bench = new Bench(way)
    const spec = bench.nftSpec
    let kernel: NftKernel
    before(async () => {
      kernel = await createKernel(spec, () => {})
    })
    after(async () => {
      await kernel.close()
      bench.remove()
    })
    const scriptOf = (targets: TableTargets) => {
      const changes = [...targets].map(([one, pieces]) => changeOf(one, null, pieces))
      return composeScript(spec, changes, new Map())
    }
    const check = (targets: TableTargets) => kernel.check(scriptOf(targets))
    const load = (targets: TableTargets) => kernel.load(scriptOf(targets))
    const empty = () => bench.nft('flush', 'ruleset')

    test('it is used as asked', () => assert.equal(kernel.way, way))

    test('a check loads nothing and leaves the generation', async () => {
      const generation = await kernel.generation()
      assert.deepEqual(await check(table(...piecesOf('a'))), well)
      assert.equal(bench.kernel(), '')
      assert.equal(await kernel.generation(), generation)
    })

    test('a load is one transaction, and a refused one changes nothing', async () => {
      const generation = await kernel.generation()
      assert.deepEqual(await load(table(...piecesOf('a'))), well)
      if (generation !== null) assert.equal(await kernel.generation(), generation + 1)
      const old = bench.nft('-a', 'list', 'ruleset')
      const wrong = lines(
        [
          'flush chain inet portcullis forward',
          'add rule inet portcullis forward accept',
          'add rule inet portcullis forward jump nowhere',
        ].join('\n'),
      )
      for (const verdict of [await kernel.check(wrong), await kernel.load(wrong)])
        assert.deepEqual(
          verdict.problems.map(({ field }) => field),
          ['line 3'],
        )
      assert.equal(bench.nft('-a', 'list', 'ruleset'), old)
      if (generation !== null) assert.equal(await kernel.generation(), generation + 1)
      empty()
    })

    test('several tables are loaded or refused together', async () => {
      const targets = new Map([
        [name, piecesOf('a')],
        ['inet extra', [chain('x', ['jump nowhere comment "extra.1"'])]],
      ])
      const { problems } = await load(targets)
      assert.deepEqual(
        problems.map((problem) => problem.field),
        ['extra.1'],
      )
      assert.match(problems[0]?.message ?? '', /No such file or directory/)
      assert.equal(bench.kernel(), '')
    })

    test('a refused rule is named while other tables are loaded and its own is not', async () => {
      const others = { boot: spec.boot, foreign: 'inet filter' }
      for (const [what, other] of Object.entries(others)) {
        bench.nft(`table ${other} { chain forward { type filter hook forward priority filter; policy drop; }; }`)
        const old = bench.kernel()
        const targets = table(
          chain('entry', ['jump second', 'jump nowhere comment "firewall.7"', 'accept'], forwardHead),
          chain('second', ['tcp dport 1 accept', 'jump nowhere', 'goto away comment "firewall.8"']),
        )
        for (const verdict of [await check(targets), await load(targets)])
          assert.deepEqual(
            verdict.problems,
            ['firewall.7', 'second', 'firewall.8'].map((field) => ({
              field,
              message: 'Could not process rule: No such file or directory',
            })),
            what,
          )
        assert.equal(bench.kernel(), old)
        empty()
      }
    })

    test('a refusal of a set names its origin, or the set, and no internal path', async () => {
      const wrong = [set('s', [], 'type nonsense', 'objects.networks[7]'), set('t', ['10.0.0.1', '10.0.0.300'])]
      const { problems } = await check(table(...wrong))
      assert.deepEqual(new Set(problems.map((problem) => problem.field)), new Set(['objects.networks[7]', 't']))
      assert.doesNotMatch(JSON.stringify(problems), /stdin|proc|script/)
    })

    test('a refusal is short however long the line is', async () => {
      const elements = Array.from({ length: 20_000 }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`).join(', ')
      const { problems } = await check(
        table(chain('x', [`ip saddr { ${elements} } tcp dport 99999 drop comment "long"`])),
      )
      assert.deepEqual(problems, [{ field: 'long', message: 'Service out of range' }])
    })

    test('times of rules are in UTC', async () => {
      assert.deepEqual(await load(table(chain('x', ['meta hour "08:00"-"17:00" accept comment "h.1"']))), well)
      const command = ['TZ=UTC', ...spec.command]
      assert.match(bench.run('/usr/bin/env', ...command, 'list', 'ruleset'), /meta hour "08:00"-"17:00"/)
      empty()
    })

    test('a table that is not there lists as null, has no counts and no chains, and is not present', async () => {
      assert.equal(await kernel.list(name), null)
      assert.equal(await kernel.counts(name, null), null)
      assert.deepEqual(await kernel.chains(name), [])
      assert.equal(await kernel.isPresent(name), false)
    })

    test('looking for a table makes nothing', async () => {
      await load(table(...piecesOf('a')))
      const old = bench.kernel()
      assert.equal(await kernel.isPresent(name), true)
      assert.equal(await kernel.isPresent('ip portcullis'), false)
      assert.equal(bench.kernel(), old)
      empty()
    })

    test('counts and chains are those of the JSON listing', async () => {
      const counted = (origin: string, packets: number) =>
        `counter packets ${packets} bytes ${packets * 60} accept comment "${origin}"`
      const heads = [
        forwardHead,
        'type nat hook postrouting priority srcnat; policy accept;',
        'type route hook output priority mangle; policy accept;',
        'type filter hook prerouting priority raw; policy drop;',
        'type filter hook input priority filter; policy accept;',
        '',
      ]
      const chains = heads.map((head, i) =>
        chain(
          `c${i}`,
          Array.from({ length: 40 }, (_, r) =>
            r % 7 === 3 ? 'accept' : counted(`o.${(i * 7 + r) % 50}`, i * 1000 + r),
          ),
          head,
        ),
      )
      const large = chain('large', [counted('o.large', 2 ** 40), 'accept comment "o.none"'])
      const ingress = chain('in', [counted('n.1', 5)], 'type filter hook ingress device "lo" priority 0; policy drop;')
      assert.deepEqual(
        await load(
          new Map([
            [name, [...chains, large]],
            ['netdev extra', [ingress]],
          ]),
        ),
        well,
      )
      for (const one of [name, 'netdev extra']) {
        const text = bench.nft('-j', 'list', 'table', ...one.split(' '))
        for (const names of [null, ['c0'], ['c1', 'c4', 'large'], ['nowhere']]) {
          const expected: Counts = new Map()
          addCounts(expected, text, names && new Set(names))
          const found = (await kernel.counts(one, names)) ?? new Map()
          assert.deepEqual([...found].toSorted(), [...expected].toSorted())
        }
        assert.deepEqual(await kernel.chains(one), listChains(bench.nft('-j', 'list', 'chains'), one))
      }
      empty()
    })

    test('counts of a table with many chains are those of the JSON listing', async () => {
      const chains = Array.from({ length: 120 }, (_, i) =>
        chain(
          `c${i}`,
          [1, 2].map((n) => `counter packets ${i * n} bytes ${i} accept comment "o.${(i * n) % 70}"`),
        ),
      )
      assert.deepEqual(await load(table(...chains)), well)
      const expected: Counts = new Map()
      addCounts(expected, bench.nft('-j', 'list', 'table', 'inet', 'portcullis'), null)
      assert.deepEqual([...((await kernel.counts(name, null)) ?? [])].toSorted(), [...expected].toSorted())
      empty()
    })

    test('300 random checks and loads end as they must', async () => {
      let state = 7
      const random = (limit: number): number => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return (state >>> 8) % limit
      }
      const ranges = (from: number) => Array.from({ length: 5 }, (_, i) => `10.${from}.${i * 8}.0/${21 + random(3)}`)
      const interval = 'type ipv4_addr; flags interval'
      const rounds = way === 'library' ? 300 : 30
      let content: readonly string[] = []
      await load(table(...piecesOf('a'), set('s', [], interval)))
      for (let round = 0; round < rounds; round += 1) {
        const next = ranges(random(200))
        const good = [`flush set ${name} s`, `add element ${name} s { ${next.join(', ')} }`]
        const wrong = random(2)
          ? `add element ${name} s { 10.0.0.0/7 , 10.4.0.0/16 }`
          : `add rule ${name} nowhere accept`
        const script = lines(random(3) === 0 ? [...good, wrong].join('\n') : good.join('\n'))
        const isWell = script.length === 2
        const isCheck = random(2) === 0
        const { problems } = await (isCheck ? kernel.check(script) : kernel.load(script))
        assert.equal(problems.length === 0, isWell, `${round}: ${JSON.stringify(problems)}`)
        if (!isWell) assert.equal(problems[0]?.field, 'line 3')
        if (isWell && !isCheck) content = next
        if (round % 30 !== 29) continue
        const { nftables } = JSON.parse(bench.nft('-j', 'list', 'set', 'inet', 'portcullis', 's'))
        assert.equal(nftables[1].set.elem?.length ?? 0, content.length)
      }
      empty()
    })

    test('element changes end as those of nft do, in hash and interval sets', async () => {
      const interval = 'type ipv4_addr; flags interval'
      const every = ['0.0.0.0', '10.0.0.0/25', '10.0.0.128/25', '10.0.1.7', '10.0.2.3-10.0.2.9', '224.0.0.0/3']
      const hosts = ['10.0.0.1', '10.0.0.2', '255.255.255.255', '0.0.0.0']
      await load(table(...piecesOf('a'), set('s', every.slice(0, 3), interval), set('h', hosts.slice(0, 2))))
      const twin = [
        'table inet twin {',
        'set s { type ipv4_addr; flags interval; }',
        'set h { type ipv4_addr; }',
        '}',
        '',
      ]
      assert.equal(bench.nft('-f', bench.write('twin.nft', twin.join('\n'))), '')
      const shown = (one: string, of: string) => bench.nft('list', 'set', 'inet', one, of).replace(`inet ${one}`, '')
      const change = (verb: 'add' | 'delete', of: 's' | 'h', ...elements: readonly string[]) =>
        ({ verb, table: name, set: of, kind: of === 's' ? 'interval' : 'hash', elements, field: `set ${of}` }) as const
      const same = (of: string, elements: readonly string[]) => {
        bench.nft('flush', 'set', 'inet', 'twin', of)
        if (elements.length > 0)
          assert.equal(bench.nft('add', 'element', 'inet', 'twin', of, `{ ${elements.join(', ')} }`), '')
        assert.equal(shown('portcullis', of), shown('twin', of))
      }
      const generation = await kernel.generation()
      assert.deepEqual(
        await kernel.changeElements(
          [change('add', 's', ...every.slice(3)), change('add', 'h', ...hosts.slice(2))],
          generation,
        ),
        well,
      )
      if (generation !== null) assert.equal(await kernel.generation(), generation + 1)
      same('s', every)
      same('h', hosts)
      // What is removed is removed first, whatever the order.
      assert.deepEqual(
        await kernel.changeElements(
          [change('add', 's', '10.0.0.0/24'), change('delete', 's', every[1] ?? '', every[2] ?? '')],
          null,
        ),
        well,
      )
      same('s', ['10.0.0.0/24', every[0] ?? '', ...every.slice(3)])
      assert.deepEqual(
        await kernel.changeElements([change('delete', 's', '10.0.0.0/24', every[0] ?? '', ...every.slice(3))], null),
        well,
      )
      same('s', [])
      // nft itself needs time that grows with the square of what it removes.
      const many = Array.from({ length: way === 'library' ? 5000 : 200 }, (_, i) => `10.${i >> 8}.${i & 255}.0/25`)
      assert.deepEqual(await kernel.changeElements([change('add', 's', ...many)], null), well)
      assert.deepEqual(await kernel.changeElements([change('delete', 's', ...many.slice(7))], null), well)
      same('s', many.slice(0, 7))
      empty()
    })

    test('a refused change of elements changes nothing and names the object', async () => {
      const change = (verb: 'add' | 'delete', of: 's' | 'h', element: string) =>
        ({
          verb,
          table: name,
          set: of,
          kind: of === 's' ? 'interval' : 'hash',
          elements: [element],
          field: `set ${of}`,
        }) as const
      await load(
        table(...piecesOf('a'), set('s', ['10.0.0.0/24'], 'type ipv4_addr; flags interval'), set('h', ['10.0.0.1'])),
      )
      const old = bench.kernel()
      for (const wrong of [
        change('delete', 'h', '10.0.0.2'),
        change('add', 's', '10.0.0.128-10.0.1.3'),
        change('delete', 's', '10.0.0.0/25'),
      ]) {
        const verdict = await kernel.changeElements([change('add', 'h', '10.0.0.9'), wrong], null)
        assert.deepEqual(verdict !== 'stale' && verdict.problems[0]?.field, wrong.field)
        assert.equal(bench.kernel(), old)
      }
      const generation = await kernel.generation()
      if (generation === null) return
      bench.nft('add', 'table', 'inet', 'foreign')
      assert.equal(await kernel.changeElements([change('add', 'h', '10.0.0.9')], generation), 'stale')
      assert.doesNotMatch(bench.kernel(), /10\.0\.0\.9/)
      empty()
    })

    test('a load is done while a listing of a large table is still running', async () => {
      const rules = Array.from({ length: 10_000 }, (_, i) => `udp dport ${i} counter accept comment "r.${i}"`)
      await load(table(...piecesOf('a'), chain('long', rules)))
      const done: string[] = []
      const listing = kernel.list(name).then((text) => done.push(`listing of ${text !== null}`))
      const loading = kernel.load(lines('add table inet other')).then(() => done.push('load'))
      await Promise.all([listing, loading])
      assert.deepEqual(done, ['load', 'listing of true'])
      empty()
    })
  })
}

const bench = new Bench()
after(() => bench.remove())
const powerless = ['/usr/bin/setpriv', '--bounding-set=-all', '--inh-caps=-all', '--']

test('where nft is missing, nothing is checked and the reason is reported', async () => {
  const missing = await createKernel({ ...bench.nftSpec, way: 'program', command: ['/nowhere/nft'] }, () => {})
  assert.deepEqual(await missing.check(lines('')), { problems: [], unchecked: '/nowhere/nft is not installed.' })
})

test('where nft has no access to the kernel, nothing is checked and the reason is reported', async () => {
  const command = [...bench.nftSpec.command.slice(0, 4), ...powerless, '/usr/sbin/nft']
  const fenced = await createKernel({ ...bench.nftSpec, way: 'program', command }, () => {})
  const verdict = await fenced.check(lines(`table ${name}\ndelete table ${name}\ntable ${name} {\n}`))
  assert.deepEqual(verdict.problems, [])
  assert.match(verdict.unchecked ?? '', /^nft has no access to the kernel here: .*Operation not permitted/)
})

test('where the library cannot be opened, the program is used and the log says why', async () => {
  const log: string[] = []
  const { way: _, ...spec } = bench.nftSpec
  const kernel = await createKernel(
    { ...spec, library: 'libnowhere.so.1' },
    createLog((line) => log.push(line)),
  )
  assert.equal(kernel.way, 'program')
  assert.match(log.join(''), /by the nft program.*libnowhere/)
  assert.deepEqual(await kernel.check(lines(`table ${name}`)), well)
  await assert.rejects(
    createKernel({ ...bench.nftSpec, library: 'libnowhere.so.1' }, () => {}),
    /libnowhere/,
  )
})

test('a load goes before checks that wait', async () => {
  const kernel = await createKernel(bench.nftSpec, () => {})
  const done: string[] = []
  const script = lines('table inet order')
  await Promise.all([
    kernel.check(script).then(() => done.push('first check')),
    kernel.check(script).then(() => done.push('second check')),
    kernel.chains(name).then(() => done.push('chains')),
    kernel.load(script).then(() => done.push('load')),
  ])
  assert.deepEqual(done, ['first check', 'load', 'chains', 'second check'])
  await kernel.close()
})

test('when the thread ends, its load is unknown and everything after it goes to the program', async () => {
  const log: string[] = []
  const entry = new URL('../stand-ins/dying-worker.ts', import.meta.url)
  const kernel = await createLibraryKernel(
    bench.nftSpec,
    createLog((line) => log.push(line)),
    entry,
  )
  assert.equal(kernel.way, 'library')
  const lost = kernel.load(lines('table inet lost'))
  const waiting = kernel.isPresent('inet lost')
  await assert.rejects(lost, /has ended/)
  assert.equal(await waiting, false)
  assert.equal(kernel.way, 'program')
  assert.match(log.join(''), /the nft program is used instead/)
  assert.deepEqual(await kernel.load(lines('table inet after')), well)
  assert.equal(await kernel.isPresent('inet after'), true)
  await kernel.close()
})

test('a long script is for the nft program, which can be stopped; a short one needs no process', async () => {
  const bench = new Bench('library')
  const kernel = await createLibraryKernel({ ...bench.nftSpec, command: ['/bin/false'] }, () => {})
  const elements = Array.from({ length: 40_000 }, (_, at) => `    10.${at >> 16}.${(at >> 8) & 255}.${at & 255},`)
  const short = lines('table inet portcullis {\n}')
  const long = lines(['table inet portcullis {', '  set s {', '    type ipv4_addr', '    elements = {'].join('\n'))
  long.push(...elements.map((text) => ({ text, field: 's' })), ...lines('    }\n  }\n}'))
  try {
    for (const work of [kernel.check, kernel.load]) {
      assert.deepEqual(await work(short), well)
      assert.deepEqual((await work(long)).problems, [{ field: name, message: 'nft ended with status 1.' }])
    }
  } finally {
    await kernel.close()
    bench.remove()
  }
})

test('the thread has the hook of its process, so that it runs plain copies too', () => {
  const worker = `import { parentPort } from 'node:worker_threads'
    if (globalThis.isHooked) parentPort.postMessage({ event: 'ready' })`
  const entry = `data:text/javascript,${encodeURIComponent(worker)}`
  const script = `import { createLibraryKernel } from ${JSON.stringify(new URL('./library.ts', import.meta.url).href)}
    const spec = { command: ['/bin/false'], tables: ['inet portcullis'], boot: 'inet boot' }
    const kernel = await createLibraryKernel(spec, () => {}, new URL(${JSON.stringify(entry)}))
    process.stdout.write(kernel.way)
    await kernel.close()`
  const hook = '--import=data:text/javascript,globalThis.isHooked=true'
  // An option of the engine, which a thread may not have as its own.
  const options = [hook, '--max-semi-space-size=2', '--input-type=module', '--eval', script]
  assert.equal(execFileSync(process.execPath, options, { encoding: 'utf8' }), 'library')
})
