// Update packages that must not be installed: made of a real one and its key, as someone would who has one of them or both.

import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { appRoot } from '../../src/tools/launcher/layout.ts'

interface About {
  readonly version: string
  readonly architecture: string
  readonly format: number
  readonly timestamp: number
}

interface Signer {
  readonly arMember: (name: string, content: Buffer, time: number) => Buffer
  readonly signedPackage: (bytes: Buffer, about: About, key: string) => Buffer
  readonly withoutSignature: (bytes: Buffer) => Buffer
}
const { arMember, signedPackage, withoutSignature } = (await import(
  new URL('../../../scripts/lib/sign-package.mjs', import.meta.url).href as string
)) as Signer

/** The key of packages that this checkout builds. */
export const signingKey = join(appRoot, '.cache', 'package-key.pem')

/** One file of a tar archive, and the end of the archive. */
function tarOf(name: string, content: string): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write(`0000644\0${'0000000\0'.repeat(2)}`, 100)
  header.write(`${content.length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`, 124)
  header.write('        0', 148)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512)
  body.write(content)
  return gzipSync(Buffer.concat([header, body, Buffer.alloc(1024)]))
}

type Crafted = readonly [title: string, file: Buffer, words: RegExp]

/** Each with what the administrator must read. `real` is a signed package that could be installed. */
export function craftedPackages(real: Buffer, key: string): readonly Crafted[] {
  const bare = withoutSignature(real)
  const about = JSON.parse(real.subarray(bare.length + 60).toString()) as About
  const other = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const changed = Buffer.from(real)
  changed.writeUInt8(changed.readUInt8(bare.length - 1_000) ^ 1, bare.length - 1_000)
  const control = {
    Package: 'portcullis',
    Version: about.version,
    Architecture: about.architecture,
    Maintainer: 'x <x@example.test>',
    Description: 'x',
    'Portcullis-Built': String(about.timestamp),
  }
  /** Signed with the key that the gateway trusts, whatever is in it. */
  const signed = (fields: Partial<typeof control>, data = tarOf('./usr/crafted', 'x')): Buffer => {
    const lines = Object.entries({ ...control, ...fields }).map(([name, value]) => `${name}: ${value}\n`)
    const members = [
      arMember('debian-binary', Buffer.from('2.0\n'), 0),
      arMember('control.tar.gz', tarOf('./control', lines.join('')), 0),
      arMember('data.tar.gz', data, 0),
    ]
    return signedPackage(Buffer.concat([Buffer.from('!<arch>\n'), ...members]), about, key)
  }
  const broken = /The signature of the package is broken/
  const differs = /The package is not what its signature says/
  return [
    ['not signed', bare, /The package is not signed/],
    ['another key', signedPackage(bare, about, other), /which this gateway does not trust/],
    ['changed after it was signed', changed, broken],
    [
      'the signature of another file',
      Buffer.concat([withoutSignature(signed({})), real.subarray(bare.length)]),
      broken,
    ],
    ['cut', real.subarray(0, -100), /ends in the middle/],
    ['with more behind it', Buffer.concat([real, Buffer.from('x')]), /something follows its signature/],
    ['an older version', signedPackage(bare, { ...about, version: '0.0.1' }, key), /older than the installed/],
    ['another architecture', signedPackage(bare, { ...about, architecture: 'mips' }, key), /is for mips/],
    ['an older format', signedPackage(bare, { ...about, format: 0 }, key), /cannot read the stored configuration/],
    ['another name', signed({ Package: 'openssh-server' }), differs],
    ['another version inside', signed({ Version: '0.0.1' }), differs],
    ['another architecture inside', signed({ Architecture: 'all' }), differs],
    ['another time inside', signed({ 'Portcullis-Built': '1' }), differs],
    ['two values in a field', signed({ Version: `${about.version}\n more` }), differs],
  ]
}
