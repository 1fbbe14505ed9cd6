import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exceptionText } from './exception.ts'
import { parseRule } from './rule.ts'

const made = (text: string, hosts: { source: string | null; destination: string | null }): string => {
  const copy = exceptionText(text, { sid: 900_000, ...hosts })
  const read = parseRule(copy, 'custom')
  assert.ok('rule' in read, 'fault' in read ? read.fault : '')
  assert.equal(read.rule.signature.action, 'pass')
  assert.equal(read.rule.signature.sid, 900_000)
  return copy
}

describe('the exception of a signature', () => {
  it('matches the same, for these hosts, and says nothing about itself', () => {
    const text =
      'drop http $EXTERNAL_NET any -> [$HOME_NET, !10.0.0.9] [80,8080] (msg:"a \\"b\\"\\; c"; flow:established,to_server; ' +
      'http.uri; content:"/x\\;y"; pcre:"/a(b)\\;/U"; reference:url,x.test; classtype:trojan-activity; ' +
      'metadata:signature_severity Major; threshold:type limit, track by_src, count 1, seconds 60; sid:7; gid:3; rev:9;)'
    assert.equal(
      made(text, { source: '10.0.0.7', destination: '192.0.2.9' }),
      'pass http 10.0.0.7 any -> 192.0.2.9 [80,8080] (msg:"Exception: a \\"b\\"\\; c"; flow:established,to_server; http.uri; ' +
        'content:"/x\\;y"; pcre:"/a(b)\\;/U"; sid:900000; rev:1;)',
    )
    assert.match(
      made(text, { source: null, destination: '192.0.2.9' }),
      /^pass http \$EXTERNAL_NET any -> 192\.0\.2\.9 /,
    )
    assert.match(
      made(text, { source: 'fd77::2', destination: null }),
      /^pass http fd77::2 any -> \[\$HOME_NET,!10\.0\.0\.9\] /,
    )
  })

  it('is of the same direction', () => {
    const text = 'alert tcp any any <> any any (msg:"m"; sid:1;)'
    assert.equal(
      made(text, { source: '10.0.0.1', destination: null }),
      'pass tcp 10.0.0.1 any <> any any (msg:"Exception: m"; sid:900000; rev:1;)',
    )
  })
})
