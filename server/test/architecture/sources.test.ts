// Clients are counted by their source (shared/net/source.ts), never by their address: an IPv6 client has 2^64 of those.
// Requirement 3.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lineOf, sourceFiles } from '../security/source.ts'

/**
 * What deals with clients of the gateway; elsewhere addresses are configuration, such as leases. Sessions of users are bound to
 * one IPv4 address each, which the kernel compares, so there the address is the key.
 */
const client =
  /^(?:gatewayd|core\/(?:accounts|area|audit|config|database)|shared\/net\/source|areas\/(?:sign-in|administrators|client-agent|audit|logs|[a-z-]+\/runs(?<!authorization\/runs)))\b/

const files = sourceFiles.filter(({ path }) => client.test(path))

function placesOf(pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map((match) => `${path}:${lineOf(text, match.index)} ${match[0]}`),
  )
}

describe('L1: clients', () => {
  it('have a source that only one function makes', () => {
    assert.deepEqual(
      placesOf(/\bas Source(?:Network)?\b/g).filter((place) => !place.startsWith('shared/net/source.ts:')),
      [],
    )
    assert.ok(placesOf(/\bsourceOf\(/g).length > 5)
  })

  it('are never a key by their address, in memory or in the database', () => {
    const keys = /\.(?:get|set|has|add|delete)\((?:[\w.]+\.)?(?:address|ip|remoteAddress)\b|WHERE [\w ]*\baddress\b/g
    assert.deepEqual(placesOf(keys), [])
  })

  it('have an address that is read only to show it or to find the source', () => {
    const raw = /.*(?:\bremoteAddress\b|\brequest\.ip\b).*/g
    const isAllowed =
      /\b(?:sourceOf|plainAddress)\((?:socket\.remoteAddress|request\.ip)\)|remoteAddress\} \$\{socket\.remotePort\}/
    assert.deepEqual(
      placesOf(raw).filter((place) => !isAllowed.test(place)),
      [],
    )
  })
})
