// What others may use of device discovery: whether unknown hosts are wanted.

import { type Config, read } from '../../model/slots.ts'
import { slot } from './config.ts'

export { slot as discoverySettings }

export const isDiscovering = (config: Config): boolean => read(config, slot).enabled
