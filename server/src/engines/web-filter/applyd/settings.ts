// The values of fixed.squid.conf, the part of squid.conf that no plan decides.

import { join } from 'node:path'
import { fixedText } from '../../kit/fixed-text.ts'
import { proxyFiles, proxyShare, webPorts } from '../index.ts'

export interface ProxyPlaces {
  readonly folder: string
  readonly errors: string
  readonly certificates: string
  readonly askSocket: string
  readonly helper: string
  readonly authorities: readonly string[]
}

/** Of a request; all of one address must fit into the memory of the proxy. */
export const bufferKilobytes = 512

export const fixedSettings = ({ authorities, ...places }: ProxyPlaces): string =>
  fixedText(join(import.meta.dirname, 'fixed.squid.conf'), {
    ...places,
    authorities: authorities.map((file) => `cafile=${file}`),
    share: proxyShare,
    descriptors: proxyFiles,
    bufferKilobytes,
    healthPort: webPorts.health,
    blockPort: webPorts.blockPeer,
  })
