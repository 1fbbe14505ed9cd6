// Live sets in the kernel of a namespace, both ways: changes, what survives, and what is reported.

import assert from 'node:assert/strict'
import type { LiveChange, LiveElement, NftPiece } from '../../core/plan/artifacts.ts'
import { authorizationPieces, host, liveSetPieces, pair, seen } from '../stand-ins/authorization.ts'
import { bothWays, chain, createScenarios, nft, piecesOf, planOf, type Scene, set } from '../stand-ins/harness.ts'

const { scenario, run } = createScenarios('live sets', bothWays)
const mac = '02:00:00:00:00:0a'
const all = ['auth_hosts', 'auth_pairs', 'auth_new', 'u_user_id_1']

const apply = async (scene: Scene, revision: number, pieces: readonly NftPiece[] = authorizationPieces()) => {
  const outcome = await scene.apply(planOf(revision, nft(pieces)))
  assert.equal(outcome.status, 'applied', JSON.stringify(outcome))
}
const change = (scene: Scene, ...changes: readonly (Pick<LiveChange, 'set'> & Partial<LiveChange>)[]) =>
  scene.verbs.changeLive({ changes: changes.map((one) => ({ add: [], remove: [], ...one })) })
/** Without what is left of their time, in the order of their addresses. */
const read = async (scene: Scene, ...sets: readonly string[]) => {
  const { sets: found } = await scene.verbs.readLive({ sets })
  const sorted = Object.entries(found).map(([name, elements]) => [name, elements.map(withoutTime).toSorted()] as const)
  return Object.fromEntries(sorted)
}
const withoutTime = ({ address, mac: card, device, seconds }: LiveElement): string =>
  [address, card, device, seconds === null ? 'stays' : 'expires'].filter((part) => part !== null).join(' ')
const epochOf = async (scene: Scene) => (await scene.verbs.readLive({ sets: [] })).epoch

const filled = {
  auth_hosts: ['10.0.0.1 expires', '10.0.0.2 stays'],
  auth_pairs: [`10.0.0.3 ${mac} expires`],
  auth_new: [`10.0.0.3 ${mac} lan0.100 expires`],
  u_user_id_1: ['10.0.0.3 stays'],
}
const fill = (scene: Scene) =>
  change(
    scene,
    { set: 'auth_hosts', add: [host('10.0.0.1'), host('10.0.0.2', null)] },
    { set: 'auth_pairs', add: [pair('10.0.0.3', mac)] },
    { set: 'auth_new', add: [seen('10.0.0.3', mac, 'lan0.100')] },
    { set: 'u_user_id_1', add: [host('10.0.0.3', null)] },
  )

scenario('the statements of authorization are taken, and are not altered when their sets fill', async (scene) => {
  await apply(scene, 1)
  await fill(scene)
  scene.bench.nft('add', 'element', 'inet', 'portcullis', 'auth_cards', `{ ${mac} . "lan0" timeout 1m }`)
  const { tables } = await scene.observe()
  assert.deepEqual(tables[0], { name: 'inet portcullis', present: true, asLoaded: true })
})

scenario('elements of every kind of key are added, read and removed', async (scene) => {
  await apply(scene, 1)
  const before = scene.bench.kernel()
  assert.deepEqual((await fill(scene)).missing, [])
  assert.deepEqual(await read(scene, ...all), filled)
  const { sets } = await scene.verbs.readLive({ sets: ['auth_pairs'] })
  const seconds = sets.auth_pairs?.[0]?.seconds ?? 0
  assert.ok(seconds > 800 && seconds <= 900, String(seconds))
  await change(
    scene,
    { set: 'auth_hosts', remove: [host('10.0.0.1'), host('10.0.0.2')] },
    { set: 'auth_pairs', remove: [pair('10.0.0.3', mac)] },
    { set: 'auth_new', remove: [seen('10.0.0.3', mac, 'lan0.100')] },
    { set: 'u_user_id_1', remove: [host('10.0.0.3')] },
  )
  assert.equal(scene.bench.kernel(), before)
})

scenario('an element that is there is replaced, and one that is not there is passed over', async (scene) => {
  await apply(scene, 1)
  await fill(scene)
  await change(scene, {
    set: 'auth_hosts',
    add: [host('10.0.0.1', 86_400), host('10.0.0.2', 5000), host('10.0.0.9', 60), host('10.0.0.9', 70)],
    remove: [host('10.0.0.8'), host('10.0.0.8'), host('10.0.0.9')],
  })
  const listed = scene.bench.nft('list', 'set', 'inet', 'portcullis', 'auth_hosts')
  assert.match(listed, /10\.0\.0\.1 timeout 1d expires 23h/)
  assert.match(listed, /10\.0\.0\.2 timeout 1h23m20s/)
  assert.match(listed, /10\.0\.0\.9 timeout 1m10s/)
  assert.doesNotMatch(listed, /10\.0\.0\.8/)
})

scenario('sets that the table does not have are reported, and the others are changed', async (scene) => {
  const hosts = { set: 'auth_hosts', add: [host('10.0.0.1')] }
  assert.deepEqual((await change(scene, hosts)).missing, ['auth_hosts'])
  await apply(scene, 1)
  const members = { set: 'u_user_id_99', add: [host('10.0.0.1')], remove: [host('10.0.0.2')] }
  const nothing = { set: 'u_user_id_98' }
  assert.deepEqual((await change(scene, members, hosts, nothing)).missing.includes('u_user_id_99'), true)
  assert.deepEqual(await read(scene, 'auth_hosts', 'u_user_id_99'), { auth_hosts: ['10.0.0.1 expires'] })
  assert.deepEqual((await change(scene, members)).missing, ['u_user_id_99'])
})

scenario('a full set refuses more, and can still be emptied', async (scene) => {
  const small = 'type ipv4_addr; flags dynamic,timeout; size 3;'
  const rest = authorizationPieces().filter(({ name }) => name !== 'auth_hosts')
  await apply(scene, 1, [...rest, set('auth_hosts', [], small)])
  const three = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((address) => host(address))
  await change(scene, { set: 'auth_hosts', add: three })
  await assert.rejects(change(scene, { set: 'auth_hosts', add: [host('10.0.0.4')] }), /auth_hosts is full/)
  await change(scene, {
    set: 'auth_hosts',
    add: [host('10.0.0.4'), host('10.0.0.2', null)],
    remove: [host('10.0.0.1'), host('10.0.0.9')],
  })
  assert.deepEqual(await read(scene, 'auth_hosts'), {
    auth_hosts: ['10.0.0.2 stays', '10.0.0.3 expires', '10.0.0.4 expires'],
  })
})

/** Another one for every time that the table was made. */
const handleOf = (scene: Scene) => /handle \d+/.exec(scene.bench.nft('-a', 'list', 'table', 'inet', 'portcullis'))?.[0]

/** A base chain with another head cannot be changed, so the table is made again. */
const fullReload = async (scene: Scene, revision: number, pieces: readonly NftPiece[] = authorizationPieces()) => {
  const before = handleOf(scene)
  const priority = `type nat hook prerouting priority ${revision}; policy accept;`
  await apply(scene, revision, [...pieces.filter(({ name }) => name !== 'portal'), chain('portal', [], priority)])
  assert.notEqual(handleOf(scene), before)
}

scenario('elements survive a small change and a full reload, with what they have left', async (scene) => {
  await apply(scene, 1)
  await fill(scene)
  scene.bench.nft('add', 'element', 'inet', 'portcullis', 'auth_cards', `{ ${mac} . "lan0" timeout 1h expires 30m }`)
  const epoch = await epochOf(scene)
  await apply(scene, 2, authorizationPieces('drop comment "firewall.2"'))
  assert.deepEqual(await read(scene, ...all), filled)
  await fullReload(scene, 3, authorizationPieces('drop comment "firewall.3"'))
  assert.deepEqual(await read(scene, ...all), filled)
  assert.match(scene.bench.nft('list', 'set', 'inet', 'portcullis', 'auth_cards'), /"lan0" timeout 1h expires 29m/)
  assert.equal(await epochOf(scene), epoch)
})

// Without it an element matches always: every packet of that host would be dropped for as long as it goes on.
scenario('elements that rules count with are not carried over without their state', async (scene) => {
  const rate = 'limit rate over 1000/second burst 2000 packets'
  const pieces = (mark: string) => [
    ...authorizationPieces(`drop comment "firewall.${mark}"`),
    set('asked', [], 'type ipv4_addr; flags dynamic,timeout; size 100;'),
    chain('asked_often', [`update @asked { ip saddr timeout 1m ${rate} } counter drop comment "firewall.asked"`]),
  ]
  const listed = () => scene.bench.nft('list', 'set', 'inet', 'portcullis', 'asked')
  await apply(scene, 1, pieces('1'))
  await fill(scene)
  scene.bench.nft('add', 'element', 'inet', 'portcullis', 'asked', `{ 10.0.0.1 ${rate} timeout 1m }`)
  assert.match(listed(), /10\.0\.0\.1 limit rate over 1000\/second/)
  await fullReload(scene, 2, pieces('2'))
  assert.doesNotMatch(listed(), /10\.0\.0\.1/)
  assert.deepEqual(await read(scene, ...all), filled)
})

scenario('elements survive an attempt that is undone and a restart', async (scene) => {
  await apply(scene, 1)
  await fill(scene)
  const rest = authorizationPieces('drop comment "firewall.2"').filter(({ name }) => name !== 'portal')
  const head = 'type nat hook prerouting priority 7; policy accept;'
  const plan = planOf(2, nft([...rest, chain('portal', [], head)]))
  assert.equal((await scene.verbs.attempt({ plan })).status, 'applied')
  await change(scene, { set: 'auth_hosts', add: [host('10.0.0.4')], remove: [host('10.0.0.1')] })
  assert.equal((await scene.verbs.undo({ revision: 2 })).status, 'applied')
  const now = { ...filled, auth_hosts: ['10.0.0.2 stays', '10.0.0.4 expires'] }
  assert.deepEqual(await read(scene, ...all), now)
  const epoch = await epochOf(scene)
  await scene.start()
  assert.deepEqual(await read(scene, ...all), now)
  assert.notEqual(await epochOf(scene), epoch)
  await fullReload(scene, 3)
  assert.deepEqual(await read(scene, ...all), now)
})

scenario(
  'sets that are new or have another head begin empty; another epoch says that elements are lost',
  async (scene) => {
    await apply(scene, 1)
    await fill(scene)
    const epoch = await epochOf(scene)
    await fullReload(scene, 2, [
      ...authorizationPieces(),
      set('u_user_id_2', [], 'type ipv4_addr; flags dynamic; size 9;'),
    ])
    assert.deepEqual(await read(scene, 'u_user_id_2'), { u_user_id_2: [] })
    assert.equal(await epochOf(scene), epoch)
    const rest = authorizationPieces().filter(({ name }) => name !== 'auth_hosts')
    await apply(scene, 3, [...rest, set('auth_hosts', [], 'type ipv4_addr; flags dynamic,timeout; size 99;')])
    assert.deepEqual(await read(scene, ...all), { ...filled, auth_hosts: [] })
    const second = await epochOf(scene)
    assert.notEqual(second, epoch)
    scene.bench.nft('delete', 'table', 'inet', 'portcullis')
    await apply(scene, 4)
    assert.deepEqual(await read(scene, 'auth_pairs'), { auth_pairs: [] })
    assert.notEqual(await epochOf(scene), second)
  },
)

scenario('a reading of 20,000 elements shows every one once, and a reload keeps them', async (scene) => {
  await apply(scene, 1)
  const addresses = Array.from({ length: 20_000 }, (_, i) => `10.${i >> 14}.${(i >> 7) & 127}.${i & 127}`)
  await change(scene, { set: 'auth_hosts', add: addresses.map((address) => host(address)) })
  const listed = async () =>
    (await scene.verbs.readLive({ sets: ['auth_hosts'] })).sets.auth_hosts?.map(({ address }) => address).toSorted()
  assert.deepEqual(await listed(), addresses.toSorted())
  await fullReload(scene, 2)
  assert.deepEqual(await listed(), addresses.toSorted())
})

scenario('a trial runs with the elements of now', async (scene) => {
  await apply(scene, 1, [...piecesOf('a', 'ip saddr @auth_hosts counter accept comment "a.1"'), ...liveSetPieces])
  await change(scene, { set: 'auth_hosts', add: [host('10.0.0.1')] })
  const packet = { device: 'lan0', protocol: 'tcp', source: '10.0.0.9', sourcePort: 1, destinationPort: 2 } as const
  const results = await scene.verbs.trial({
    packets: ['10.0.0.1', '10.0.0.2'].map((destination) => ({ ...packet, destination })),
  })
  // The stand-in lets through what the script names.
  assert.deepEqual(
    results.map(({ passed }) => passed),
    [true, false],
  )
})

run()
