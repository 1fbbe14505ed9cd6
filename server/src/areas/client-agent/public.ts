// What others may use of the client agent: whether it is on, and what is open to external networks because of it.

import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { OutsideService } from '../../domain/policy/model.ts'
import { state } from './config.ts'

export { state } from './config.ts'

export const isAgentEnabled = (config: Config): boolean => read(config, state).enabled

/** Agents come from anywhere, with any address. */
export const outsideServices = (config: Config, { agentPort }: Facts): readonly OutsideService[] =>
  isAgentEnabled(config) && agentPort !== null
    ? [{ name: 'agent', title: 'client agent', protocol: 'tcp', destinationPort: agentPort, peers: null }]
    : []
