// What intrusion prevention stores, its defaults, and the template profile (docs/behaviour/intrusion-prevention.md 3).

import { Enabled } from '../../core/contract/fields.ts'
import { findIn } from '../../core/model/item-index.ts'
import { type Config, list, single } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { Net } from './contract.ts'
import { Profile, StoredRule, templateId } from './contract-profiles.ts'
import { StoredCustom } from './contract-signatures.ts'

export const state = single('intrusion_prevention.state', Enabled, { enabled: false })

/** The private networks, until an administrator changes them. */
export const nets = list('intrusion_prevention.nets', Net, [
  { id: 'private-10', address: '10.0.0.0/8' },
  { id: 'private-172', address: '172.16.0.0/12' },
  { id: 'private-192', address: '192.168.0.0/16' },
])

export const custom = list('intrusion_prevention.custom', StoredCustom)
export const profiles = list('intrusion_prevention.profiles', Profile)

/** Rules of all profiles in one list; the order among rules of the same profile counts. */
export const profileRules = list('intrusion_prevention.profile_rules', StoredRule)

export const slots = [state, nets, custom, profiles, profileRules]

export const template: Profile = {
  id: templateId,
  name: 'Template',
  comment: say`Blocks attacks and malware, reports suspicious traffic. Copy it to make your own profile.`,
}

/** May a firewall rule name it? */
export const isProfile = (config: Config, id: string): boolean =>
  id === templateId || findIn(config, profiles, id) !== undefined

const classtypes = (values: readonly string[]): StoredRule['filters'] => [
  { key: 'classtype', operator: 'equals', values: [...values] },
]

export const templateRules: readonly StoredRule[] = [
  {
    id: 1,
    profile_id: templateId,
    filters: classtypes([
      'trojan-activity',
      'command-and-control',
      'domain-c2',
      'exploit-kit',
      'targeted-activity',
      'credential-theft',
      'coin-mining',
      'shellcode-detect',
      'web-application-attack',
      'attempted-admin',
      'attempted-user',
      'successful-admin',
      'successful-user',
    ]),
    action: 'drop',
    comment: 'Attacks and malware',
  },
  {
    id: 2,
    profile_id: templateId,
    filters: classtypes([
      'attempted-recon',
      'network-scan',
      'attempted-dos',
      'denial-of-service',
      'misc-attack',
      'bad-unknown',
      'default-login-attempt',
      'suspicious-login',
      'suspicious-filename-detect',
      'system-call-detect',
      'unusual-client-port-connection',
      'non-standard-protocol',
      'social-engineering',
      'pup-activity',
      'policy-violation',
    ]),
    action: 'alert',
    comment: 'Suspicious traffic',
  },
]
