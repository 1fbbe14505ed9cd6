// What intrusion prevention stores, its defaults, and the template profile, which is fixed.

import { Enabled } from '../../contract/fields.ts'
import { type Config, list, read, single } from '../../model/slots.ts'
import { Net } from './contract.ts'
import { Profile, type ProfileRule, StoredRule, templateId } from './contract-profiles.ts'
import { StoredCustom } from './contract-signatures.ts'

export const state = single('intrusion_prevention.state', Enabled, { enabled: false })

/** The private networks, until somebody says better. */
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
  comment: 'Blocks attacks and malware, reports what is suspicious. Copy it to make a profile of your own.',
}

/** May a firewall rule name it? */
export const isProfile = (config: Config, id: string): boolean =>
  id === templateId || read(config, profiles).some((profile) => profile.id === id)

const classtypes = (values: readonly string[]): ProfileRule['filters'] => [
  { key: 'classtype', operator: 'equals', values: [...values] },
]

export const templateRules: readonly ProfileRule[] = [
  {
    id: 1,
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
