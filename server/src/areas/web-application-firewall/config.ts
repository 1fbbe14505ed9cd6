// What the web application firewall stores: profiles, and the rules and excluded rules of all of them.

import { list } from '../../core/model/slots.ts'
import { StoredException, StoredProfile, StoredRule } from './contract.ts'

export const profiles = list('web_application_firewall.profiles', StoredProfile)
export const rules = list('web_application_firewall.rules', StoredRule)
export const exceptions = list('web_application_firewall.exceptions', StoredException)

export const slots = [profiles, rules, exceptions]
