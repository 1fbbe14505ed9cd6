// A lab for tests of deep inspection: profiles, rules that inspect what the client says and hears, waiting until the engine was
// seen to do it, recorded traffic through the gateway, and the journal of security events.

import assert from 'node:assert/strict'
import { openLab } from '../../src/tools/launcher/enter-lab.ts'
import type { Traffic } from '../signatures/capture.ts'
import type { ApiClient } from './api-client.ts'
import { client, type FirewallLab, startFirewallLab } from './firewall-lab.ts'
import type { LabGateway } from './lab-gateway.ts'
import { type Place, type Replayed, replay } from './replay.ts'
import { patienceMs, until } from './until.ts'

/** Of the server in the internet that replays answer at; the further ones are other clients and servers there. */
export const replayAddress = '198.51.100.100'
const addresses: Place['addresses'] = [
  replayAddress,
  ...Array.from({ length: 59 }, (_, at) => `198.51.100.${101 + at}`),
]

/** The class of the rules that come with the engine. */
const protocolErrors = 'protocol-command-decode'

export interface ProfileRuleFields {
  readonly key: 'sid' | 'mitre_tactic_id' | 'protocol' | 'signature_severity' | 'flow' | 'classtype'
  readonly values: readonly (string | number)[]
  readonly action: 'default' | 'alert' | 'drop' | 'pass'
}

export interface ShownChannel {
  readonly number: number
  readonly ready: boolean
  readonly message: string
}

/** What tests look at of an event in the journal. */
export interface ShownEvent {
  readonly id: string
  readonly result: 'blocked' | 'allowed'
  readonly signature_id: number
  readonly signature: string
  readonly src_ip: string
  readonly src_port: number
  readonly dst_ip: string
  readonly dst_port: number
  readonly profile: string
  readonly table: string
  readonly rule_id: number
  readonly flow_id: string
}

export class InspectionLab {
  readonly firewall: FirewallLab
  /** The client's network and the internet, for replays. */
  readonly inside: Place
  readonly outside: Place

  private constructor(firewall: FirewallLab) {
    this.firewall = firewall
    const { stateDir } = firewall.gateway
    this.inside = { ...openLab(stateDir, 'client'), addresses: [client] }
    this.outside = { ...openLab(stateDir, 'internet'), addresses }
  }

  /** Nothing is inspected yet. */
  static async start(): Promise<InspectionLab> {
    const firewall = await startFirewallLab()
    await firewall.wire.addAddresses(
      'internet',
      'lo',
      addresses.map((address) => `${address}/32`),
    )
    // Else the gateway itself would answer what the client asks a DNS server outside.
    await firewall.api.ok('PATCH', '/dns/settings', { intercept_enabled: false })
    return new InspectionLab(firewall)
  }

  get gateway(): LabGateway {
    return this.firewall.gateway
  }
  get api(): ApiClient {
    return this.firewall.api
  }

  stop(): Promise<void> {
    return this.firewall.stop()
  }

  async switchOn(): Promise<void> {
    await this.api.ok('PATCH', '/ips/state', { enabled: true })
  }

  /** With these rules in their order; its id. */
  async addProfile(name: string, rules: readonly ProfileRuleFields[]): Promise<string> {
    const { id } = (await this.api.ok('POST', '/ips/profiles-create-with-rules', {
      name,
      comment: '',
      rules: rules.map(({ key, values, action }) => ({
        filters: [{ key, operator: 'equals', values }],
        action,
        comment: '',
      })),
    })) as { id: string }
    return id
  }

  /** A profile that does one thing with every signature but those about errors in protocols, which ordinary mail has too. */
  async addProfileForAll(name: string, action: ProfileRuleFields['action']): Promise<string> {
    const { signature_groups: groups } = (await this.api.ok('GET', '/ips/signature_groups/table')) as {
      signature_groups: { classtype: string }[]
    }
    const values = groups.map(({ classtype }) => classtype).filter((classtype) => classtype !== protocolErrors)
    return this.addProfile(name, [{ key: 'classtype', values, action }])
  }

  /** Accepts what the client opens and what is opened to it, and has both inspected; the ids of the rules, in this order. */
  async inspectClient(fields: object): Promise<readonly [number, number]> {
    const address = await this.firewall.address(client)
    const accept = { action: 'accept', ...fields }
    return [
      await this.firewall.forward({ ...accept, source_addresses: [address] }),
      await this.firewall.forward({ ...accept, destination_addresses: [address] }),
    ]
  }

  async channels(): Promise<readonly ShownChannel[]> {
    const { channels } = (await this.api.ok('GET', '/inspection/channels')) as { channels: ShownChannel[] }
    return channels
  }

  /** As many channels as that are in use, and the engine was seen to inspect each of them with its newest rules. */
  async isReady(count: number): Promise<void> {
    await until(`${count} channels are inspected`, async () => {
      const { state, channels } = (await this.api.ok('GET', '/inspection/channels')) as {
        state: string
        channels: ShownChannel[]
      }
      return state === 'active' && channels.length === count && channels.every(({ ready }) => ready)
    })
  }

  /** For traffic that is expected to be held up: it is given up after a short silence. */
  replayAttacks(all: readonly Traffic[]): Promise<readonly Replayed[]> {
    return replay(all, { inside: this.inside, outside: this.outside, silenceMs: 4_000, parallel: 24 })
  }

  /** For traffic that is expected to get through, however slow the machine is. */
  replayOrdinary(all: readonly Traffic[]): Promise<readonly Replayed[]> {
    return replay(all, { inside: this.inside, outside: this.outside, silenceMs: patienceMs, parallel: 16 })
  }

  /** All of them, the oldest first. */
  async events(): Promise<readonly ShownEvent[]> {
    const sort = encodeURIComponent(JSON.stringify([{ field: 'date_time', direction: 'asc' }]))
    const { data } = (await this.api.ok('GET', `/security_events/journal?sort=${sort}`)) as { data: ShownEvent[] }
    assert.ok(data.length < 10_000, 'the journal has more events than one answer')
    return data
  }
}
