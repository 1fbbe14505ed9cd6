// node scripts/compare-packages.mjs: builds the Debian package from two fresh clones of the last commit, in folders of different
// names, with different masks and zones, and compares the bytes. Arguments are handed to npm run package.

import { spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './lib/paths.mjs'
import { main, Stop, say } from './lib/terminal.mjs'

const clones = [
  { name: 'one', mask: 0o022, zone: 'UTC' },
  { name: 'another-with-a-longer-name', mask: 0o077, zone: 'Asia/Tokyo' },
]

await main(() => {
  const work = mkdtempSync(join(tmpdir(), 'portcullis-packages-'))
  try {
    const key = join(work, 'key.pem')
    const { privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
    const [one, other] = clones.map((clone) => build(work, key, clone))
    for (const [name, sum] of Object.entries(one)) {
      if (other[name] !== sum) throw new Stop(`${name} is different: ${sum} and ${other[name]}.`)
      say(`${sum}  ${name}`)
    }
    say('The packages of both clones are the same.')
    return 0
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

/** The sums of the packages by their names. */
function build(work, key, { name, mask, zone }) {
  const folder = join(work, name)
  const output = join(work, `packages-of-${name}`)
  run('git', ['clone', '--quiet', root, folder])
  process.umask(mask)
  // What npm would install is the same in every clone; it only takes long.
  cpSync(join(root, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  const args = [join(folder, 'scripts/package.mjs'), '--key', key, '--output', output, ...process.argv.slice(2)]
  run(process.execPath, args, { cwd: folder, env: { ...process.env, TZ: zone } })
  process.umask(0o022)
  const files = readdirSync(output)
  const sumOf = (file) =>
    createHash('sha256')
      .update(readFileSync(join(output, file)))
      .digest('hex')
  return Object.fromEntries(files.map((file) => [file, sumOf(file)]))
}

function run(program, args, options = {}) {
  const { status } = spawnSync(program, args, { stdio: 'inherit', ...options })
  if (status !== 0) throw new Stop(`${program} failed.`)
}
