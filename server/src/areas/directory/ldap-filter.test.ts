// What is an LDAP filter and what is not (RFC 4515, with its own examples).
// Requirement 30.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { filterFault } from './ldap-filter.ts'

describe('an LDAP filter', () => {
  const good = [
    '(cn=Babs Jensen)',
    '(!(cn=Tim Howes))',
    '(&(objectClass=Person)(|(sn=Jensen)(cn=Babs J*)))',
    '(o=univ*of*mich*)',
    '(seeAlso=)',
    '(cn:caseExactMatch:=Fred Flintstone)',
    '(cn:=Betty Rubble)',
    '(sn:dn:2.4.6.8.10:=Barney Rubble)',
    '(o:dn:=Ace Industry)',
    '(:1.2.3:=Wilma Flintstone)',
    '(:DN:2.4.6.8.10:=Dino)',
    '(o=Parens R Us \\28for all your parenthetical needs\\29)',
    '(cn=*\\2A*)',
    '(userAccountControl:1.2.840.113556.1.4.803:=2)',
    '(&(objectCategory=person)(objectClass=user))',
    '(age>=5)',
    '(age<=5)',
    '(cn~=x)',
    '(cn;lang-de=ä)',
    '(&)',
    '(|)',
  ]
  for (const text of good) it(`is ${text}`, () => assert.equal(filterFault(text), null))

  const bad = [
    'cn=x',
    '(',
    ')',
    '()',
    '(cn)',
    '(=x)',
    '(:=x)',
    '(cn=x',
    '(cn=x))',
    '(cn=x)(cn=y)',
    '(cn=(x)',
    '(cn=\\)',
    '(cn=\\2)',
    '(cn=\\zz)',
    '(&(cn=x)',
    '(&cn=x)',
    '(!)',
    '(!(cn=x)(cn=y))',
    '(c n=x)',
    '(-cn=x)',
    ' (cn=x)',
    '(cn=x) ',
    '(cn=x)|(cn=*)',
  ]
  for (const text of bad) it(`is not ${text}`, () => assert.match(filterFault(text) ?? '', /^Must be an LDAP filter/))

  it('is not one that nests without end', () => {
    const nested = (depth: number): string => `${'(!'.repeat(depth)}(cn=x)${')'.repeat(depth)}`
    assert.equal(filterFault(nested(50)), null)
    assert.notEqual(filterFault(nested(51)), null)
    assert.notEqual(filterFault('(&'.repeat(100_000)), null)
  })
})
