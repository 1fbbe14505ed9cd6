// Options in the notation of dnsmasq: what they mean, and that what dnsmasq itself refuses is refused here.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseOption } from './dhcp-option.ts'

describe('a DHCP option', () => {
  for (const [text, vendorClass, code, ...values] of [
    ['176,"MCIPADD=1.2.3.4,MCPORT=1719"', null, 176, 'MCIPADD=1.2.3.4,MCPORT=1719'],
    ['3,10.0.0.1', null, 3, '10.0.0.1'],
    ['3', null, 3],
    [' 42 , 10.0.0.1 , 10.0.0.2', null, 42, '10.0.0.1', '10.0.0.2'],
    ['option:router,1.2.3.4', null, 3, '1.2.3.4'],
    ['option:Router,1.2.3.4', null, 3, '1.2.3.4'],
    ['option:server-ip-address,1.2.3.4', null, 255, '1.2.3.4'],
    ['vendor:PXEClient,1,0.0.0.0', 'PXEClient', 1, '0.0.0.0'],
    ['vendor:,43,1', '', 43, '1'],
    ['vendor:PXEClient,option:router,1.2.3.4', 'PXEClient', 3, '1.2.3.4'],
    ['vendor:PXEClient,3,any', 'PXEClient', 3, 'any'],
    ['121,10.0.0.0/8,10.0.0.1', null, 121, '10.0.0.0/8', '10.0.0.1'],
    ['119,example.com,office.example', null, 119, 'example.com', 'office.example'],
    ['224,"1.2.3"', null, 224, '1.2.3'],
    ['43,01:02:03', null, 43, '01:02:03'],
    ['67,"boot\\x86\\wdsnbp.com"', null, 67, 'boot\\x86\\wdsnbp.com'],
    ['67,"a\\tb\\\\c\\"d"', null, 67, 'a\tb\\c"d'],
    ['224,', null, 224, ''],
    ['224,a,,b', null, 224, 'a', '', 'b'],
    [`224,${'x'.repeat(255)}`, null, 224, 'x'.repeat(255)],
  ] as const)
    it(`${text.slice(0, 60)} is read`, () => {
      const parsed = parseOption(text)
      assert.ok(typeof parsed === 'object', `${parsed}`)
      const { isText, ...rest } = parsed
      assert.deepEqual(rest, { vendorClass, code, values })
    })

  for (const [text, isText] of [
    ['224,"1.2.3"', true],
    ['224,hello', true],
    ['224,1.2.3.4,5.6.7.8', false],
    ['224,12s', false],
    ['224,01:ff', false],
    ['119,example.com', false],
    ['224,bad', false],
    ['224,"bad"', true],
  ] as const)
    it(`${text} is ${isText ? 'a text' : 'no text'}`, () => {
      const parsed = parseOption(text)
      assert.equal(typeof parsed === 'object' && parsed.isText, isText)
    })

  const noNumber =
    'Must begin with the number of an option from 1 to 254, or with option: and its name, such as 66 or option:router.'
  const quotes = 'A quotation mark is not closed or is inside a value.'
  for (const [text, message] of [
    ...['foo', '0,x', '255,x', '256,x', '03,1.2.3.4', 'option:,1', 'option:nope,1', 'option:hostname,x', ',1'].map(
      (one) => [one, noNumber] as const,
    ),
    ...['"3",1.2.3.4', 'vendor:PXEClient', 'tag:lan,3,1.2.3.4', 'encap:175,190,x', 'option6:23,::1', '#'].map(
      (one) => [one, noNumber] as const,
    ),
    ...['252,"abc', '252,abc"def', '252,"a"b', '224,"x\\"', '224,\\"x'].map((one) => [one, quotes] as const),
    ...['3,foo', '3,10.0.0', '3,', '3,"10.0.0.1"', '3,10.0.0.1,x'].map(
      (one) => [one, 'The values of the option 3 must be IPv4 addresses.'] as const,
    ),
    ['option:ntp-server,ntp.example', 'The values of the option 42 must be IPv4 addresses.'],
    ['vendor:PXEClient,option:router,any', 'The values of the option 3 must be IPv4 addresses.'],
    ['119,"a b"', 'The values of the option 119 must be domain names.'],
    ...['224,1.2.3', '224,1,2', '224,1.2.3.4,', 'vendor:x,1,3.4.5.6.7'].map(
      (one) => [one, 'The values look like IPv4 addresses but are not valid; put text in quotation marks.'] as const,
    ),
    ['53,1', 'The server fills in the option 53 by itself.'],
    ['43,1', 'The option 43 needs bytes such as 01:04:c0:a8:00:01.'],
    [`224,${'x'.repeat(256)}`, 'The values must have at most 255 bytes together.'],
    [`224,${'x,'.repeat(127)}xx`, 'The values must have at most 255 bytes together.'],
    [`vendor:${'x'.repeat(129)},1,x`, 'The vendor class must have at most 128 bytes.'],
    [`224,${'é'.repeat(128)}`, 'The values must have at most 255 bytes together.'],
  ] as const)
    it(`${text.slice(0, 60)} is refused`, () => {
      assert.equal(parseOption(text), message)
    })
})
